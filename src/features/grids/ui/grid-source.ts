import { useCallback, useEffect, useReducer, useRef } from 'react';
import { loadGrid } from '../calls.ts';
import type { GridAnswer, GridRow, GroupKey, GroupRow } from '../grids.ts';

/*
 * What the grid has loaded: a list of rows, or of groups, each with a list of its own once it was opened. The end of a
 * list that goes on is an item too: when it is drawn, the next page is loaded.
 */

interface Level {
  path: readonly GroupKey[];
  rows: GridRow[];
  groups: Group[];
  next: string | null;
  state: 'idle' | 'loading' | 'failed';
}

interface Group {
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
  rows: [],
  groups: [],
  next: '',
  state: 'idle',
});

const isComplete = ({ next }: Level): boolean => next === null;

function itemsOf(level: Level): Item[] {
  const items: Item[] = level.rows.map((row) => ({
    kind: 'row',
    key: row.id,
    row,
    level: level.path.length + 1,
  }));
  for (const group of level.groups) {
    items.push({ kind: 'group', key: JSON.stringify(group.inside.path), group });
    if (group.isOpen) for (const item of itemsOf(group.inside)) items.push(item);
  }
  if (!isComplete(level)) items.push({ kind: 'end', key: `end ${JSON.stringify(level.path)}`, level });
  return items;
}

interface Source {
  items: readonly Item[];
  /** The number of matching rows; undefined until the first answer. */
  total: number | undefined;
  /** True if there are more rows than were counted. */
  isCut: boolean;
  toggle: (group: Group) => void;
  /** Loads the next page at the end of a list. */
  loadMore: (level: Level) => void;
}

/** Loads a grid by its parameters, from the start when they change. */
export function useSource(path: string, parameters: Readonly<Record<string, string>>): Source {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const root = useRef<Level>(newLevel([]));
  const items = useRef<readonly Item[]>([]);
  const total = useRef<Pick<GridAnswer, 'total' | 'isCut'>>(undefined);
  const abort = useRef(new AbortController());

  const show = useCallback(() => {
    items.current = itemsOf(root.current);
    draw();
  }, []);

  const load = useCallback(
    async (level: Level, first?: Level) => {
      if (level.state === 'loading' || isComplete(level)) return;
      level.state = 'loading';
      if (!first) show();
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
      if (first) root.current = first; // the rows of before stay until then
      level.state = answer ? 'idle' : 'failed';
      if (answer) add(level, answer);
      if (answer && level.path.length === 0) total.current = answer;
      show();
    },
    [path, parameters, show],
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
    toggle: (group) => {
      group.isOpen = !group.isOpen;
      show();
      if (group.isOpen) void load(group.inside);
    },
    loadMore: (level) => void load(level),
  };
}

function add(level: Level, { rows, groups, next }: GridAnswer): void {
  level.rows.push(...rows);
  for (const row of groups)
    level.groups.push({ row, inside: newLevel([...level.path, row.key]), isOpen: false });
  level.next = next;
}
