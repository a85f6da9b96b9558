import type { Actor } from '#features/people/people.ts';
import { translationsFor, type Namespace } from '#platform/translations.server.ts';
import type { CellContext, Grid, GridCore } from './define.server.ts';
import type { GridAnswer, GridQuery, GridRow, GroupKey } from './grids.ts';
import { maxCounted, type GridPage } from './reading.server.ts';

interface AnswerContext<K extends string> {
  actor: Actor;
  context: CellContext<K>;
  query: GridQuery;
}

/** A page of a grid as data, with its texts. */
export function answerOf<Row, K extends string>(
  grid: Grid<Row, Namespace, K>,
  { rows, groups, total, start, next, previous }: GridPage<Row>,
  { actor, context, query }: AnswerContext<K>,
): GridAnswer {
  const level = query.path.length;
  const by = query.groupBy[level] ?? '';
  return {
    rows: rows.map((row) => rowOf(grid, row, { actor, context })),
    groups: groups.map(({ key, text, count }) => ({
      group: by,
      key,
      text:
        (text ?? groupText(grid, by, key, context)) || translationsFor(context.lang, 'grids')('groupBlank'),
      count,
      level: level + 1,
    })),
    total,
    isCut: total >= maxCounted(query),
    start,
    next: next ?? null,
    previous: previous ?? null,
  };
}

/** The text of a group: of a choice its label; empty for blank values. */
export function groupText<K extends string>(
  { columns }: Pick<GridCore<Namespace, K>, 'columns'>,
  by: string,
  key: GroupKey,
  { t }: Pick<CellContext<K>, 't'>,
): string {
  const options = columns[by]?.options ?? [];
  const all = typeof options === 'function' ? options() : options;
  const label = all.find(([value]) => value === key)?.[1];
  return label === undefined ? String(key ?? '') : t(label);
}

function rowOf<Row, K extends string>(
  { columns, idOf, nameOf, actions, isNew }: Grid<Row, Namespace, K>,
  row: Row,
  { actor, context }: Pick<AnswerContext<K>, 'actor' | 'context'>,
): GridRow {
  const cells = Object.fromEntries(
    Object.entries(columns).flatMap(([key, column]) => {
      const cell = column.cell(row, context);
      return cell === undefined || cell === ''
        ? []
        : [[key, typeof cell === 'string' ? { text: cell } : cell]];
    }),
  );
  return {
    id: String(idOf(row)),
    name: nameOf(row),
    cells,
    actions: [...(actions?.(row, actor, context) ?? [])],
    ...(isNew?.(row) && { isNew: true }),
  };
}
