import type { Position } from '../rules.ts';

/** What the page's table was like when the grid took over, which goes on from there. */
export interface PageTable {
  /** The widths of its columns (CSS px). */
  widths: readonly number[];
  /** How far it was scrolled (CSS px). */
  scroll: { left: number; top: number };
  /** The height of what is below it, its pager (CSS px). */
  below: number;
  /** The cell with the focus. */
  focus: Position | undefined;
  /** The ids of the selected rows, or that all rows are selected. */
  selected: readonly string[] | 'all';
}

/** Reads the table of an island; undefined where it has no rows. */
export function readTable(island: HTMLElement): PageTable | undefined {
  const page = island.querySelector<HTMLElement>('.grid-page');
  const table = page?.querySelector('table');
  const box = table?.parentElement;
  if (!page || !table || !box) return undefined;
  const { scrollLeft: left, scrollTop: top } = box;
  const boxes = [...table.querySelectorAll<HTMLInputElement>('tbody .cell-pick input:checked')];
  const isAll = table.querySelector<HTMLInputElement>('[data-select-all]')?.checked === true;
  return {
    widths: [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => cell.getBoundingClientRect().width),
    scroll: { left, top },
    below: page.getBoundingClientRect().bottom - box.getBoundingClientRect().bottom,
    focus: focusIn(table),
    selected: isAll ? 'all' : boxes.map(({ value }) => value),
  };
}

function focusIn(table: HTMLTableElement): Position | undefined {
  const cell = document.activeElement?.closest<HTMLTableCellElement>('th, td');
  const row = cell?.closest('tr');
  if (!cell || !row || !table.contains(row)) return undefined;
  return { row: [...table.querySelectorAll('tbody tr')].indexOf(row), column: cell.cellIndex };
}

/**
 * Runs a function once nothing in the element is pressed, after the click that the release causes, and no
 * menu of a row in it is open.
 */
export function whenReleased(element: HTMLElement, run: (element: HTMLElement) => void): void {
  if (!element.matches(':active') && !element.querySelector('td :popover-open')) {
    run(element);
    return;
  }
  const waiting = new AbortController();
  const released = (): void => {
    waiting.abort();
    setTimeout(() => whenReleased(element, run));
  };
  for (const type of ['pointerup', 'pointercancel', 'keyup', 'dragend', 'toggle'])
    document.addEventListener(type, released, { signal: waiting.signal, capture: true });
}
