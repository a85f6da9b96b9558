import type { Actor } from '#features/base/people/people.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor, type Namespace } from '#platform/text/translations.server.ts';
import { labelText, type CellContext, type Grid, type GridCore } from './define.server.ts';
import type { GridAnswer, GridQuery, GridRow, GroupKey, GroupRow } from './grids.ts';
import type { GridPage } from './reading.server.ts';

interface AnswerContext<K extends string> {
  actor: Actor;
  context: CellContext<K>;
  query: GridQuery;
}

/** A page of a grid as data, with its texts. */
export function answerOf<Row, K extends string>(
  grid: Grid<Row, Namespace, K>,
  { rows, groups, total, isCut, start, next, previous }: GridPage<Row>,
  { actor, context, query }: AnswerContext<K>,
): GridAnswer {
  const level = query.path.length;
  const by = query.groupBy[level] ?? '';
  const blank = translationsFor(context.lang, 'grids')('groupBlank');
  const named = groups.map(({ key, text, count }) => ({
    group: by,
    key,
    text: (text ?? groupText(grid, by, key, context)) || blank,
    count,
    level: level + 1,
  }));
  const isWhole = start === 0 && next === undefined;
  return {
    rows: rows.map((row) => rowOf(grid, row, { actor, context })),
    groups: isWhole && isNamed(grid, by) ? sortedByText(named, query, context.lang) : named,
    total,
    isCut,
    start,
    next: next ?? null,
    previous: previous ?? null,
  };
}

/** Whether people read other texts for the groups of a column than its SQL has, which sorts them. */
const isNamed = ({ columns }: GridCore, by: string): boolean =>
  columns[by]?.options !== undefined || columns[by]?.groupTexts !== undefined;

/** Sorts groups by what people read; those without a value stay the first. */
function sortedByText(groups: readonly GroupRow[], { orderBy }: GridQuery, lang: Lang): GroupRow[] {
  const { compare } = new Intl.Collator(LANGUAGES[lang], { numeric: true });
  const isBlank = ({ key }: GroupRow): boolean => key === null || key === '';
  const sorted = groups.toSorted(
    (a, b) => Number(isBlank(b)) - Number(isBlank(a)) || compare(a.text, b.text),
  );
  return orderBy.some(({ by, dir }) => by === groups[0]?.group && dir === 'desc')
    ? sorted.toReversed()
    : sorted;
}

/** The text of a group: of a choice its label; empty for blank values. */
export function groupText<K extends string>(
  { columns }: Pick<GridCore<Namespace, K>, 'columns'>,
  by: string,
  key: GroupKey,
  context: Pick<CellContext<K>, 'lang' | 't'>,
): string {
  const options = columns[by]?.options ?? [];
  const all = typeof options === 'function' ? options() : options;
  const label = all.find(([value]) => value === key)?.[1];
  return label === undefined ? String(key ?? '') : labelText(label, context);
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
    name: nameOf(row, context),
    cells,
    actions: [...(actions?.(row, actor, context) ?? [])],
    ...(isNew?.(row) && { isNew: true }),
  };
}
