import type { Actor, Session } from '#features/people/people.ts';
import type { PathTo } from '#platform/addresses.server.ts';
import type { Field } from '#platform/forms.server.ts';
import type { Choice } from '#platform/forms.ts';
import { refusal } from '#platform/errors.server.ts';
import { formatNumber } from '#platform/formats.ts';
import { LANGUAGES, type Lang } from '#platform/languages.ts';
import { useList } from '#platform/lists.server.ts';
import { translationsFor, type KeysOf, type Namespace } from '#platform/translations.server.ts';
import type { Column } from '#ui/table/table.ts';
import { gridQueryOf, isSortable, type CellContext, type Grid, type GridCore } from './define.server.ts';
import type { GridQuery, GridRow } from './grids.ts';
import { PAGE, readGrid, type GridPage } from './reading.server.ts';

interface Page {
  url: URL;
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

/**
 * The grid of a page, from its address: render it with `Grid.astro`. `choices` are those of filter fields that depend
 * on the page.
 */
export async function useGrid<Row, N extends Namespace, K extends KeysOf<N>>(
  page: Page,
  grid: Grid<Row, N, K>,
  { choices = {} }: { choices?: Record<string, readonly Choice[]> } = {},
) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const t = translationsFor(lang, grid.namespace);
  const common = translationsFor(lang, 'common');
  const list = useList(page, listOf(grid, page.url));
  const query = gridQueryOf(grid, list.query);
  const found = await readFrom(grid, actor, query);
  const context = { lang, t, pathTo };
  const isFiltered = query.searchTerm !== '' || query.filter || Object.values(query.fields).some(Boolean);
  const number = (value: number): string => formatNumber(LANGUAGES[lang], value);
  const order = query.orderBy[0] ?? grid.orderBy[0];
  return {
    columns: columnsOf(grid, context),
    rows: found.rows.map((row) => gridRow(grid, row, { actor, context })),
    caption: t(grid.caption),
    empty: t(isFiltered ? grid.noMatch : grid.empty),
    filter: list.filter(isFiltered ? { count: found.total } : undefined, choices),
    order: order && {
      by: order.by,
      dir: order.dir,
      urlFor: (by: string, dir: 'asc' | 'desc') => list.urlFor({ sort: dir === 'desc' ? `-${by}` : by }),
    },
    pager:
      found.next === undefined && found.previous === undefined
        ? undefined
        : {
            label: common('pages'),
            range: common('range', {
              start: number(found.start + 1),
              end: number(found.start + found.rows.length),
              total: number(found.total),
            }),
            previousLabel: common('previousPage'),
            nextLabel: common('nextPage'),
            previousUrl: found.previous === undefined ? undefined : list.urlFor({ after: found.previous }),
            nextUrl: found.next === undefined ? undefined : list.urlFor({ after: found.next }),
          },
    total: found.total,
    urlFor: list.urlFor,
  };
}

/** A page of an address: a cursor that is not valid any more leads to the start. */
async function readFrom<Row>(grid: Grid<Row>, actor: Actor, query: GridQuery): Promise<GridPage<Row>> {
  try {
    return await readGrid(grid, actor, query, PAGE);
  } catch (error) {
    if (query.after === undefined || refusal(error)?.code !== 'INVALID') throw error;
    return readGrid(grid, actor, { ...query, after: undefined }, PAGE);
  }
}

/** The grid as a list: its address and its filter form, which keeps what it does not show. */
function listOf<N extends Namespace, K extends KeysOf<N>>(grid: GridCore<N, K>, { searchParams }: URL) {
  const hidden = ['sort', 'group', 'filter'].filter((name) => (searchParams.get(name) ?? '') !== '');
  const fields: Record<string, Field<K>> = {
    ...(grid.search && {
      searchTerm: { kind: 'text', type: 'search', label: grid.search.label, maxlength: 200 } as const,
    }),
    ...grid.fields,
    ...Object.fromEntries(hidden.map((name) => [name, { kind: 'hidden' } as const])),
  };
  return {
    namespace: grid.namespace,
    schema: grid.parameters,
    position: 'after' as const,
    filter: { id: 'search', title: grid.caption, submit: grid.submit, fields },
  };
}

const columnsOf = <Row, K extends string>(
  { columns }: Pick<Grid<Row, Namespace, K>, 'columns'>,
  { t }: CellContext<K>,
): Column<GridRow>[] =>
  Object.entries(columns)
    .filter(([, { isHidden }]) => !isHidden)
    .map(([key, column]) => ({
      key,
      label: t(column.label),
      text: ({ cells }) => cells[key]?.text ?? '',
      href: ({ cells }) => cells[key]?.href,
      at: ({ cells }) => cells[key]?.at,
      note: ({ cells }) => cells[key]?.note,
      side: ({ cells }) => cells[key]?.side,
      ...(isSortable(column) && { sort: key }),
      ...(column.isRowHeader && { isRowHeader: true }),
      ...(column.type === 'number' && { isNumber: true }),
      ...(column.type === 'time' && { isLabelled: true }),
      ...(column.textStyle && { textStyle: column.textStyle }),
      ...(column.isWide && { isWide: true }),
    }));

/** A row with its cells and actions as data. */
export function gridRow<Row, K extends string>(
  {
    columns,
    idOf,
    nameOf,
    actions,
    isNew,
  }: Pick<Grid<Row, Namespace, K>, 'columns' | 'idOf' | 'nameOf' | 'actions' | 'isNew'>,
  row: Row,
  { actor, context }: { actor: Actor; context: CellContext<K> },
): GridRow {
  const cells = Object.fromEntries(
    Object.entries(columns).flatMap(([key, column]) => {
      const cell = column.cell(row, context);
      return cell === undefined ? [] : [[key, typeof cell === 'string' ? { text: cell } : cell]];
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
