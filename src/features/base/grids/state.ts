import { atom } from 'nanostores';

/** The selected rows of the page's grid: some, or all that match a query but for some. */
export type GridSelection =
  | { kind: 'some'; ids: ReadonlySet<string> }
  | { kind: 'all'; except: ReadonlySet<string>; query: string; total: number };

export const NOTHING_SELECTED: GridSelection = { kind: 'some', ids: new Set() };

export const $gridSelection = atom<GridSelection>(NOTHING_SELECTED);

export const isSelected = (selection: GridSelection, id: string): boolean =>
  selection.kind === 'some' ? selection.ids.has(id) : !selection.except.has(id);

export const countSelected = (selection: GridSelection): number =>
  selection.kind === 'some' ? selection.ids.size : selection.total - selection.except.size;

/** The selection with a row added or removed. */
export function withToggled(selection: GridSelection, id: string): GridSelection {
  const ids = new Set(selection.kind === 'some' ? selection.ids : selection.except);
  if (!ids.delete(id)) ids.add(id);
  return selection.kind === 'some' ? { kind: 'some', ids } : { ...selection, except: ids };
}

/** The state of the box in the heading: all, some or none. */
export function selectAllState(selection: GridSelection, total: number): 'all' | 'some' | 'none' {
  const count = countSelected(selection);
  return count === 0 ? 'none' : count >= total ? 'all' : 'some';
}
