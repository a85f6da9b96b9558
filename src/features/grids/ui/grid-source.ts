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
  const items = level.rows.map((row) => rowItem(level, row));
  for (const group of level.groups) {
    items.push(groupItem(group));
    if (group.isOpen) for (const item of itemsOf(group.inside)) items.push(item);
  }
  return [...items, ...endOf(level)];
}

const rowItem = ({ path }: Level, row: GridRow): Item => ({
  kind: 'row',
  key: row.id,
  row,
  level: path.length + 1,
});

const groupItem = (group: Group): Item => ({ kind: 'group', key: JSON.stringify(group.inside.path), group });

const endOf = (level: Level): Item[] =>
  isComplete(level) ? [] : [{ kind: 'end', key: `end ${JSON.stringify(level.path)}`, level }];

interface Source {
  items: readonly Item[];
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
  const root = useRef<Level>(newLevel([]));
  const items = useRef<Item[]>([]);
  const hasActions = useRef(false);
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
      const added = answer ? add(level, answer) : [];
      hasActions.current ||= added.some((item) => item.kind === 'row' && item.row.actions.length > 0);
      if (answer && level.path.length === 0) total.current = answer;
      if (first) {
        root.current = first; // the rows of before stay until then
        return show();
      }
      // the list may be long: only its end is replaced
      const end = items.current.findIndex((item) => item.kind === 'end' && item.level === level);
      if (answer && end >= 0) items.current.splice(end, 1, ...added);
      draw();
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
    hasActions: hasActions.current,
    toggle: (group) => {
      group.isOpen = !group.isOpen;
      show();
      if (group.isOpen) void load(group.inside);
    },
    loadMore: (level) => void load(level),
  };
}

/** Adds a page to a list; returns its items, and the end of the list if it goes on. */
function add(level: Level, { rows, groups, next }: GridAnswer): Item[] {
  const added = groups.map((row) => ({ row, inside: newLevel([...level.path, row.key]), isOpen: false }));
  level.rows.push(...rows);
  level.groups.push(...added);
  level.next = next;
  return [...rows.map((row) => rowItem(level, row)), ...added.map(groupItem), ...endOf(level)];
}
