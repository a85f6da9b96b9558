/** Arithmetic of a grid in the browser: which rows are drawn, and where keys lead. */

/** The height of every row in CSS pixels (spec 2, section 9). */
export const ROW_HEIGHT = 50;
/** The search waits until typing pauses (spec 2, section 9; ms). */
export const SEARCH_DEBOUNCE = 500;
/** Rows drawn above and below the visible ones. */
export const MARGIN = 6;

/** The rows to draw, from `first` to before `last`, and the heights of those above and below (CSS px). */
export function windowOf(
  scrollTop: number,
  height: number,
  total: number,
  margin = MARGIN,
): { first: number; last: number; above: number; below: number } {
  const top = Math.min(Math.max(0, scrollTop), Math.max(0, total * ROW_HEIGHT - height));
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - margin);
  const last = Math.min(total, Math.ceil((top + height) / ROW_HEIGHT) + margin);
  return { first, last, above: first * ROW_HEIGHT, below: (total - last) * ROW_HEIGHT };
}

/** A cell by its position; row -1 is the row of headings. */
export interface Position {
  row: number;
  column: number;
}

interface Size {
  rows: number;
  columns: number;
  /** Rows that fit on the screen. */
  page: number;
}

/** Where a key leads from a cell (ARIA Authoring Practices, grid); undefined for keys that do not move. */
export function moved(
  { row, column }: Position,
  { key, ctrlKey }: { key: string; ctrlKey: boolean },
  { rows, columns, page }: Size,
): Position | undefined {
  const to = (newRow: number, newColumn: number): Position => ({
    row: Math.max(-1, Math.min(rows - 1, newRow)),
    column: Math.max(0, Math.min(columns - 1, newColumn)),
  });
  switch (key) {
    case 'ArrowDown':
      return to(row + 1, column);
    case 'ArrowUp':
      return to(row - 1, column);
    case 'ArrowRight':
      return to(row, column + 1);
    case 'ArrowLeft':
      return to(row, column - 1);
    case 'PageDown':
      return to(row + page, column);
    case 'PageUp':
      return to(Math.max(0, row - page), column);
    case 'Home':
      return ctrlKey ? to(0, 0) : to(row, 0);
    case 'End':
      return ctrlKey ? to(rows - 1, columns - 1) : to(row, columns - 1);
    default:
      return undefined;
  }
}

/** Where to scroll so that a row is visible below the headings; the same position if it is. */
export function scrolledTo(row: number, scrollTop: number, height: number): number {
  const top = row * ROW_HEIGHT;
  if (top < scrollTop) return top;
  const bottom = top + ROW_HEIGHT - height;
  return Math.max(bottom, scrollTop);
}

/** The forms of a grid's menus: what a person keeps for themselves, and conditions, which are part of the address. */
export const GRID_FORMS = {
  conditions: 'grid-conditions',
  columns: 'grid-columns',
  saveFilter: 'grid-filter',
  removeFilter: 'grid-remove',
} as const;
