import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
} from 'react';
import { moved, type Position } from '../rules.ts';
import type { Group, Item, Items } from './grid-source.ts';
import type { PageTable } from './page-table.ts';

interface Options {
  items: Items;
  columns: number;
  canSelect: boolean;
  /** Rows that fit on the screen. */
  page: number;
  isLive: boolean;
  query: unknown;
  /** The page's table, whose focus it takes. */
  from: RefObject<PageTable | undefined>;
  /** Scrolls until the row is visible. */
  reveal: (row: number) => void;
  toggle: (group: Group) => void;
  selectOne: (id: string) => void;
  selectAll: () => void;
  openMenu: (item: Item & { kind: 'row' }, at: HTMLElement) => void;
}

interface GridFocus {
  table: RefObject<HTMLTableElement | null>;
  /** The cell that takes the focus; row -1 is the row of headings. */
  focus: Position;
  onFocus: (event: FocusEvent<HTMLTableElement>) => void;
  onKeyDown: (event: KeyboardEvent<HTMLTableElement>) => void;
}

/** The focus in a grid, and what its keys do (ARIA Authoring Practices, grid and treegrid). */
export function useGridFocus(options: Options): GridFocus {
  const { items, columns, canSelect, page, isLive, query, from } = options;
  const table = useRef<HTMLTableElement>(null);
  const [focus, setFocus] = useState<Position>({ row: 0, column: canSelect ? 1 : 0 });
  const wantsFocus = useRef(false);

  useEffect(() => setFocus((now) => ({ ...now, row: Math.min(now.row, 0) })), [query]);
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    const cell = table.current?.querySelector<HTMLElement>('[tabindex="0"]');
    if (!cell) return;
    wantsFocus.current = false;
    cell.focus({ preventScroll: true });
  });
  // after the effect above, which would focus the cell of before
  useLayoutEffect(() => {
    const start = from.current?.focus;
    if (!isLive || !start) return;
    wantsFocus.current = true;
    setFocus(start);
  }, [isLive, from]);

  function onFocus({ target }: FocusEvent<HTMLTableElement>): void {
    const cell = target.closest('th, td');
    const row = Number(cell?.closest('tr')?.getAttribute('aria-rowindex')) - 2;
    const column = Number(cell?.getAttribute('aria-colindex')) - 1;
    if (cell && (row !== focus.row || column !== focus.column)) setFocus({ row, column });
  }

  function onKeyDown(event: KeyboardEvent<HTMLTableElement>): void {
    if (!(event.target instanceof HTMLElement) || event.altKey || event.metaKey) return;
    const cell = event.target.closest<HTMLElement>('th, td');
    if (!cell) return;
    const item = focus.row < 0 ? undefined : items.at(focus.row);
    const to = moved(focus, event, { rows: items.length, columns, page });
    const isOnCell = event.target === cell;
    if (isTurning(item, event.key)) options.toggle(item.group);
    else if (to) {
      wantsFocus.current = true;
      setFocus(to);
      options.reveal(to.row);
    } else if (event.key === 'Enter' && isOnCell) activate(item, cell, options);
    else if (event.key === ' ' && isOnCell) select(item, focus, options);
    else return;
    event.preventDefault();
  }

  return { table, focus, onFocus, onKeyDown };
}

/** True for the arrow that opens a closed group, or closes an open one. */
const isTurning = (item: Item | undefined, key: string): item is Item & { kind: 'group' } =>
  item?.kind === 'group' && key === (item.group.isOpen ? 'ArrowLeft' : 'ArrowRight');

/** Does what a click would do: sorts by the heading, opens the group, the menu or the link. */
function activate(item: Item | undefined, cell: HTMLElement, { toggle, openMenu }: Options): void {
  const control = cell.querySelector<HTMLElement>('a, button, input');
  if (item?.kind === 'group') toggle(item.group);
  else if (item?.kind === 'row' && item.row.actions.length > 0 && cell.matches('.grid-actions'))
    openMenu(item, cell);
  else if (control || !item) control?.click();
  else cell.closest('tr')?.querySelector<HTMLElement>('a')?.click();
}

function select(
  item: Item | undefined,
  { row }: Position,
  { canSelect, toggle, selectOne, selectAll }: Options,
): void {
  if (item?.kind === 'group') toggle(item.group);
  else if (row < 0 && canSelect) selectAll();
  else if (item?.kind === 'row' && canSelect) selectOne(item.row.id);
}
