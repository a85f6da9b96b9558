import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { loadGrid } from '../calls.ts';
import type { GridAnswer, GridRow, GroupKey, GroupRow } from '../grids.ts';
import { RowPages, type RowPage } from './row-pages.ts';

/*
 * What the grid has loaded: a list of rows, or of groups, each with a list of its own once it was opened. The end of a
 * list that goes on is an item too: when it is drawn, the next page is loaded.
 */

export interface Level {
  path: readonly GroupKey[];
  pages: RowPage[];
  groups: Group[];
  next: string | null;
  state: 'idle' | 'loading' | 'failed';
}

export interface Group {
  row: GroupRow;
  inside: Level;
  isOpen: boolean;
}

export type Item =
  | { kind: 'row'; key: string; row: GridRow; level: number }
  | { kind: 'group'; key: string; group: Group }
  | { kind: 'end'; key: string; level: Level };

const newLevel = (path: readonly GroupKey[]): Level => ({
  path,
  pages: [],
  groups: [],
  next: '',
  state: 'idle',
});

const isComplete = ({ next }: Level): boolean => next === null;

/** Items that follow each other: the rows of a page, a group, or the end of a list. `start` is the first one's index. */
type Part = { start: number; count: number } & (
  | { kind: 'rows'; page: RowPage; level: Level }
  | { kind: 'group'; group: Group }
  | { kind: 'end'; level: Level }
);

/** The items of a list and of the groups that are open in it, which are made when they are asked for. */
export class Items {
  readonly #rows: RowPages;
  readonly #parts: Part[] = [];
  length = 0;

  constructor(rows: RowPages, level?: Level) {
    this.#rows = rows;
    if (level) this.#addLevel(level);
  }

  /** The items from `first` to before `last`. */
  slice(first: number, last: number): Item[] {
    const items: Item[] = [];
    for (let index = first; index < last; index += 1) {
      const item = this.at(index);
      if (item) items.push(item);
    }
    return items;
  }

  at(index: number): Item | undefined {
    const part = this.#partAt(index);
    if (part?.kind === 'group')
      return { kind: 'group', key: JSON.stringify(part.group.inside.path), group: part.group };
    if (part?.kind === 'end')
      return { kind: 'end', key: `end ${JSON.stringify(part.level.path)}`, level: part.level };
    const row = part && this.#rows.rowsOf(part.page)[index - part.start];
    return row && { kind: 'row', key: row.id, row, level: part.level.path.length + 1 };
  }

  #partAt(index: number): Part | undefined {
    let low = 0;
    let high = this.#parts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const part = this.#parts[middle];
      if (part && part.start + part.count <= index) low = middle + 1;
      else high = middle;
    }
    return index < 0 ? undefined : this.#parts[low];
  }

  #addLevel(level: Level): void {
    for (const page of level.pages)
      this.#parts.push({ kind: 'rows', page, level, ...this.#next(page.count) });
    for (const group of level.groups) {
      this.#parts.push({ kind: 'group', group, ...this.#next(1) });
      if (group.isOpen) this.#addLevel(group.inside);
    }
    if (!isComplete(level)) this.#parts.push({ kind: 'end', level, ...this.#next(1) });
  }

  #next(count: number): Pick<Part, 'start' | 'count'> {
    const start = this.length;
    this.length += count;
    return { start, count };
  }
}

const NONE = new Items(new RowPages());

interface Source {
  items: Items;
  /** The number of matching rows; undefined until the first answer. */
  total: number | undefined;
  /** True if there are more rows than were counted. */
  isCut: boolean;
  /** True if a loaded row has actions. */
  hasActions: boolean;
  toggle: (group: Group) => void;
  /** Loads the next page at the end of a list. */
  loadMore: (level: Level) => void;
}

/** Loads a grid by its parameters, from the start when they change. */
export function useSource(path: string, parameters: Readonly<Record<string, string>>): Source {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const [rows] = useState(() => new RowPages());
  const root = useRef<Level>(undefined);
  const items = useRef<Items>(NONE);
  const hasActions = useRef(false);
  const total = useRef<Pick<GridAnswer, 'total' | 'isCut'>>(undefined);
  const abort = useRef(new AbortController());

  const show = useCallback(() => {
    if (root.current) items.current = new Items(rows, root.current);
    draw();
  }, [rows]);

  const load = useCallback(
    async (level: Level, first?: Level) => {
      if (level.state === 'loading' || isComplete(level)) return;
      level.state = 'loading';
      if (!first) draw();
      const { signal } = abort.current;
      const answer = await loadGrid(
        path,
        {
          ...parameters,
          path: level.path.length > 0 ? JSON.stringify(level.path) : '',
          after: level.next ?? '',
          limit: '100',
        },
        signal,
      );
      if (signal.aborted) return;
      level.state = answer ? 'idle' : 'failed';
      if (answer) add(level, answer, rows);
      hasActions.current ||= answer?.rows.some(({ actions }) => actions.length > 0) ?? false;
      if (answer && level.path.length === 0) total.current = answer;
      if (first) root.current = first; // the rows of before stay until then
      show();
    },
    [path, parameters, rows, show],
  );

  useEffect(() => {
    abort.current = new AbortController();
    const first = newLevel([]);
    void load(first, first);
    return () => abort.current.abort();
  }, [load]);

  return {
    items: items.current,
    total: total.current?.total,
    isCut: total.current?.isCut ?? false,
    hasActions: hasActions.current,
    toggle: (group) => {
      group.isOpen = !group.isOpen;
      show();
      if (group.isOpen) void load(group.inside);
    },
    loadMore: (level) => void load(level),
  };
}

/** Adds a page to a list. */
function add(level: Level, { rows, groups, next }: GridAnswer, pages: RowPages): void {
  if (rows.length > 0) level.pages.push(pages.add(rows));
  for (const row of groups)
    level.groups.push({ row, inside: newLevel([...level.path, row.key]), isOpen: false });
  level.next = next;
}
