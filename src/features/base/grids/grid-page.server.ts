import type { Actor, Session } from '#features/base/people/people.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { formOf } from '#platform/forms/form.server.ts';
import { useForm, type Field } from '#platform/forms/forms.server.ts';
import type { Choice, FormView } from '#platform/forms/forms.ts';
import { formatNumber } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { useList } from '#platform/forms/lists.server.ts';
import { translationsFor, type KeysOf, type Namespace } from '#platform/text/translations.server.ts';
import type { Column } from '#ui/table/table.ts';
import { answerOf, groupText } from './answer.server.ts';
import {
  gridQueryOf,
  isGroupable,
  isSortable,
  labelText,
  type CellContext,
  type Grid,
  type GridCore,
} from './define.server.ts';
import { conditionColumns, conditionsForm, conditionsOf, filterOf } from './conditions.server.ts';
import { columnsForm, removeFilterForm, saveFilterForm } from './forms.server.ts';
import {
  MAX_GROUPED,
  type GridFilter,
  type GridQuery,
  type GridRow,
  type GroupKey,
  type GroupRow,
} from './grids.ts';
import { PAGE, readGrid, type GridPage } from './reading.server.ts';
import { removeFilter, saveFilter, savedFilters, shownColumns, showColumns } from './settings.server.ts';

interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: {
    lang: Lang;
    session: Session;
    pathTo: PathTo;
    client?: Promise<{ id: string } | undefined>;
  };
}

/**
 * The grid of a page, from its address: render it with `Grid.astro`, or return it where it is a Response (to the forms
 * of its menus). `choices` are those of filter fields that depend on the page; `views` names a field that links of the
 * page set, and its value where the address says nothing about the list.
 */
export async function useGrid<Row, N extends Namespace, K extends KeysOf<N>>(
  page: Page,
  grid: Grid<Row, N, K>,
  {
    choices = {},
    views,
  }: { choices?: Record<string, readonly Choice[]>; views?: { field: string; first: string } } = {},
) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const t = translationsFor(lang, grid.namespace);
  const url = withFirstView(withOneGroup(page.url), grid, views);
  const list = useList({ url, locals: page.locals }, listOf(grid, url, views?.field));
  const client = grid.isOfClient ? (await page.locals.client)?.id : undefined;
  const query = gridQueryOf(grid, list.query, client);
  const conditions = await conditionsOfPage(page, grid, {
    filter: query.filter,
    urlFor: (filter) => list.urlFor({ filter }),
  });
  if (conditions instanceof Response) return conditions;
  const forms = await formsOf(page, grid, list.urlFor);
  if (forms instanceof Response) return forms;
  const found = await readFrom(grid, actor, query);
  const context = { lang, t, pathTo };
  const answer = answerOf(grid, found, { actor, context, query });
  const isFiltered =
    query.searchTerm !== '' ||
    query.filter !== undefined ||
    Object.entries(query.fields).some(([name, value]) => value !== '' && name !== views?.field);
  const shown = await shownColumns(grid, actor);
  const order = query.orderBy[0] ?? grid.orderBy[0];
  const parameters = Object.fromEntries(
    Object.entries(list.query).flatMap(([name, value]) => (value === '' ? [] : [[name, String(value)]])),
  );
  const ofClient = client === undefined ? {} : { client };
  const exportUrl = (format: string): string =>
    `${grid.path}/export?${new URLSearchParams({ ...parameters, ...ofClient, path: '', after: '', lang, format })}`;
  return {
    answer,
    query,
    isFiltered,
    now: now(),
    columns: columnsOf(grid, shown, context),
    caption: t(grid.caption),
    empty: t(isFiltered ? grid.noMatch : grid.empty),
    filter: filterWithMenus(
      list.filter(isFiltered ? { count: answer.total, isMore: answer.isCut } : undefined, choices),
      { lang, conditions, isOpen: conditions?.isOpen === true || isRefused(forms) },
    ),
    order: order && {
      by: order.by,
      dir: order.dir,
      urlFor: (by: string, dir: 'asc' | 'desc') => list.urlFor({ sort: dir === 'desc' ? `-${by}` : by }),
    },
    pager: pagerOf(lang, answer, (after) => list.urlFor({ after })),
    groups: await groupsOf(grid, lang, {
      actor,
      query,
      answer,
      urlFor: (path) => list.urlFor({ path: JSON.stringify(path) }),
    }),
    menus: {
      forms,
      conditions,
      saved: (await savedFilters(grid, actor)).map(({ id, name, query: saved }) => ({
        id,
        name,
        url: `${url.pathname}${saved}`,
      })),
      exports: { xlsx: exportUrl('xlsx'), csv: exportUrl('csv') },
    },
    urlFor: list.urlFor,
    /** What the island gets. */
    island: {
      path: grid.path,
      parameters: { ...parameters, ...ofClient },
      caption: t(grid.caption),
      empty: t(grid.noMatch),
      columns: shown.flatMap((key) => {
        const column = grid.columns[key];
        return column
          ? [
              {
                key,
                label: t(column.label),
                type: column.type,
                ...(column.isRowHeader && { isRowHeader: true }),
                ...(isSortable(column) && { isSortable: true }),
                ...(column.textStyle === 'meta' && { isMeta: true }),
                ...(isShort(column) && { isShort: true }),
                ...(isShortMoment(column) && { isShortMoment: true }),
              },
            ]
          : [];
      }),
      order: grid.orderBy.map(({ by, dir }) => (dir === 'desc' ? `-${by}` : by)).join(','),
      groupLabels: query.groupBy.map((key) => labelOf(grid, key, t)),
    },
  };
}

/** Choices with more characters take two lines. */
const MAX_LINE = 16;

/** Whether a grid shows the texts of a column whole. */
const isShort = <K extends string>({
  type,
  textStyle,
  isShort: isMarked,
  isRowHeader,
}: GridCore<Namespace, K>['columns'][string]): boolean =>
  isMarked === true ||
  (!isRowHeader && (['choice', 'number', 'time'].includes(type) || textStyle === 'meta'));

const isShortMoment = <K extends string>({
  type,
  isExactTime,
}: GridCore<Namespace, K>['columns'][string]): boolean => type === 'time' && isExactTime !== true;

/** The lines that may be the widest of a choice, whose texts take one line, or two if they are long. */
function widestLines<K extends string>(
  { options = [], chip }: GridCore<Namespace, K>['columns'][string],
  context: Pick<CellContext<K>, 'lang' | 't'>,
): string | undefined {
  const all = typeof options === 'function' ? options() : options;
  const lines = all.map(([, label]) => {
    const text = labelText(label, context);
    return chip ? [text, chip.note].filter(Boolean).join(' ') : lineOf(text);
  });
  const longest = Math.max(...lines.map(({ length }) => length));
  // others are narrower in any font
  return lines.filter(({ length }) => length >= 0.8 * longest).join('\n') || undefined;
}

/** A short text, or the longer of the two lines into which a long one is best broken. */
function lineOf(text: string): string {
  const words = text.length > MAX_LINE ? text.split(' ') : [text];
  const ways = words.map((_, at) => {
    const [first, second] = [words.slice(0, at).join(' '), words.slice(at).join(' ')];
    return first.length > second.length ? first : second;
  });
  return ways.toSorted((a, b) => a.length - b.length)[0] ?? text;
}

/** The address, with the first view where it says nothing about the list. */
function withFirstView(
  address: URL,
  { parameters }: GridCore,
  views: { field: string; first: string } | undefined,
): URL {
  const isAsked = Object.keys(parameters.shape).some((name) => address.searchParams.has(name));
  if (!views || isAsked) return address;
  const url = new URL(address);
  url.searchParams.set(views.field, views.first);
  return url;
}

/** The address with the fields of the form for groups as one parameter. */
function withOneGroup(address: URL): URL {
  const url = new URL(address);
  const chosen = url.searchParams.getAll('group').filter(Boolean);
  if (chosen.length > 1) url.searchParams.set('group', [...new Set(chosen)].join(','));
  return url;
}

const labelOf = <K extends string>(
  { columns }: GridCore<Namespace, K>,
  key: string,
  t: (label: K) => string,
): string => {
  const column = columns[key];
  return column ? t(column.label) : '';
};

/** The filter form, with its conditions among the active filters. On phones it contains the menus. */
function filterWithMenus(
  filter: ReturnType<ReturnType<typeof useList>['filter']>,
  { lang, conditions, isOpen }: { lang: Lang; conditions: ConditionsView | undefined; isOpen: boolean },
) {
  if (!conditions?.count) return { ...filter, isOpen };
  const common = translationsFor(lang, 'common');
  const active = {
    text: common('labelAndValue', {
      label: translationsFor(lang, 'grids')('conditions'),
      value: formatNumber(LANGUAGES[lang], conditions.count),
    }),
    removeLabel: common('removeFilter'),
    removeUrl: conditions.clearUrl,
    isOfMenu: true as const,
  };
  return { ...filter, isOpen, active: [...filter.active, active] };
}

const isRefused = (forms: Readonly<Record<string, FormView>>): boolean =>
  Object.values(forms).some(({ problems }) => problems.length > 0);

interface ConditionsView {
  form: FormView;
  count: number;
  isOpen: boolean;
  clearUrl: string;
}

/** The form for the conditions of the filter; undefined where no column can have one. */
async function conditionsOfPage<N extends Namespace, K extends KeysOf<N>>(
  page: Page,
  grid: GridCore<N, K>,
  { filter, urlFor }: { filter: GridFilter | undefined; urlFor: (filter: string) => string },
): Promise<ConditionsView | undefined | Response> {
  const { lang } = page.locals;
  const columns = conditionColumns(grid, { lang, t: translationsFor(lang, grid.namespace) });
  if (columns.choices.length === 0) return undefined;
  const definition = conditionsForm(columns);
  const current = conditionsOf(filter, columns);
  const none = { value: '', text: translationsFor(lang, 'grids')('conditionNone') };
  const form = await useForm(page, definition, {
    values: { conditions: current },
    choices: { 'conditions.by': [none, ...columns.choices] },
    submit: ({ conditions }) => {
      const chosen = filterOf(conditions, columns);
      return Promise.resolve({ to: urlFor(chosen ? JSON.stringify(chosen) : '') });
    },
  });
  if (form instanceof Response) return form;
  const posted = page.request.method === 'POST' ? await formOf(page.request) : undefined;
  const isOpen = String(posted?.getAll('form').at(-1) ?? '').split(':')[0] === definition.id;
  return { form, count: current.length, isOpen, clearUrl: urlFor('') };
}

/** The forms of the menus, each handled by the page itself. */
async function formsOf<N extends Namespace, K extends KeysOf<N>>(
  page: Page,
  grid: GridCore<N, K>,
  urlFor: () => string,
): Promise<{ columns: FormView; save: FormView; remove: FormView } | Response> {
  const { lang, session } = page.locals;
  const { actor } = session;
  const t = translationsFor(lang, grid.namespace);
  const to = urlFor();
  const columns = await useForm(page, columnsForm, {
    values: { columns: await shownColumns(grid, actor) },
    choices: {
      columns: Object.entries(grid.columns).flatMap(([value, { label, isRowHeader }]) =>
        isRowHeader ? [] : [{ value, text: t(label) }],
      ),
    },
    submit: async ({ columns: chosen }) => {
      await showColumns(grid, actor, chosen);
      return { to, flash: { type: 'success', namespace: 'grids', key: 'columnsSaved' } };
    },
  });
  if (columns instanceof Response) return columns;
  const save = await useForm(page, saveFilterForm, {
    submit: async ({ name }) => {
      const query = to.includes('?') ? to.slice(to.indexOf('?')) : '';
      await saveFilter(grid, actor, { name, query });
      return { to, flash: { type: 'success', namespace: 'grids', key: 'filterSaved' } };
    },
  });
  if (save instanceof Response) return save;
  const remove = await useForm(page, removeFilterForm, {
    submit: async ({ filter }) => {
      await removeFilter(grid, actor, filter);
      return { to, flash: { type: 'success', namespace: 'grids', key: 'filterRemoved' } };
    },
  });
  return remove instanceof Response ? remove : { columns, save, remove };
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
function listOf<N extends Namespace, K extends KeysOf<N>>(
  grid: GridCore<N, K>,
  { searchParams }: URL,
  view: string | undefined,
) {
  const hidden = ['sort', 'group', 'filter', ...(view === undefined ? [] : [view])].filter(
    (name) => name === view || (searchParams.get(name) ?? '') !== '',
  );
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

const columnsOf = <K extends string>(
  { columns }: Pick<GridCore<Namespace, K>, 'columns'>,
  shown: readonly string[],
  { lang, t }: CellContext<K>,
): Column<GridRow>[] =>
  shown.flatMap((key) => {
    const column = columns[key];
    if (!column) return [];
    return [
      {
        key,
        label: t(column.label),
        text: ({ cells }) => cells[key]?.text ?? '',
        href: ({ cells }) => cells[key]?.href,
        at: ({ cells }) => cells[key]?.at,
        note: ({ cells }) => cells[key]?.note,
        isProblem: ({ cells }) => cells[key]?.isProblem === true,
        chip: ({ cells }) => cells[key]?.chip,
        title: ({ cells }) => cells[key]?.title,
        ...(isShortMoment(column) && { isShortMoment: true }),
        ...(column.chip && { isChip: true }),
        ...(isSortable(column) && { sort: key }),
        ...(column.isRowHeader && { isRowHeader: true }),
        // the name of a row begins where those of other lists do
        ...(column.type === 'number' && !column.isRowHeader && { isNumber: true }),
        ...((column.type === 'time' || column.isLabelled) && { isLabelled: true }),
        ...(column.textStyle && { textStyle: column.textStyle }),
        ...(column.isMinor && { isMinor: true }),
        ...(isShort(column) && { isShort: true, widest: widestLines(column, { lang, t }) }),
        classOf: ({ cells }) => (cells[key]?.note === undefined || cells[key].chip ? undefined : 'noted'),
      },
    ];
  });

function pagerOf(
  lang: Lang,
  { next, previous, start, total, isCut, rows, groups }: ReturnType<typeof answerOf>,
  urlFor: (after: string) => string,
) {
  if (next === null && previous === null) return undefined;
  const common = translationsFor(lang, 'common');
  const number = (value: number): string => formatNumber(LANGUAGES[lang], value);
  return {
    label: common('pages'),
    ...(groups.length === 0 && {
      range: common('range', {
        start: number(start + 1),
        end: number(start + rows.length),
        total: isCut ? `${number(total)}+` : number(total),
      }),
    }),
    previousLabel: common('previousPage'),
    nextLabel: common('nextPage'),
    previousUrl: previous === null ? undefined : urlFor(previous),
    nextUrl: next === null ? undefined : urlFor(next),
  };
}

/** The groups as a page shows them: the columns to group by, the opened groups, and the table of the next ones. */
async function groupsOf<N extends Namespace, K extends KeysOf<N>>(
  grid: GridCore<N, K>,
  lang: Lang,
  {
    actor,
    query: { groupBy, path },
    answer,
    urlFor,
  }: {
    actor: Actor;
    query: GridQuery;
    answer: ReturnType<typeof answerOf>;
    urlFor: (path: readonly GroupKey[]) => string;
  },
) {
  const t = translationsFor(lang, grid.namespace);
  const g = translationsFor(lang, 'grids');
  const able = Object.entries(grid.columns).filter(([, column]) => isGroupable(column));
  const number = (value: number): string => formatNumber(LANGUAGES[lang], value);
  const column = labelOf(grid, groupBy[path.length] ?? '', t);
  const columns: Column<GroupRow>[] = [
    {
      key: 'group',
      label: column,
      isRowHeader: true,
      text: ({ text }) => text,
      href: ({ key }) => urlFor([...path, key]),
    },
    { key: 'count', label: g('groupCount'), isNumber: true, text: ({ count }) => number(count) },
  ];
  return {
    /** The columns that can group, none for a grid without. */
    choices: able.map(([value, { label }]) => ({ value, text: t(label) })),
    levels:
      able.length === 0
        ? []
        : Array.from({ length: Math.min(MAX_GROUPED, able.length) }, (_, at) => groupBy[at] ?? ''),
    isShown: path.length < groupBy.length,
    caption: g('groupTable', { column }),
    columns,
    rows: answer.groups,
    opened: await Promise.all(
      path.map(async (key, level) => {
        const by = groupBy[level] ?? '';
        // a key from an address is looked up only if there are rows with it that this person may see
        const named = answer.total > 0 && (await grid.columns[by]?.groupTexts?.(actor, [String(key)]));
        const text = (named && named.get(String(key))) || groupText(grid, by, key, { lang, t });
        return {
          text: `${labelOf(grid, by, t)}: ${text || g('groupBlank')}`,
          url: urlFor(path.slice(0, level + 1)),
        };
      }),
    ),
    allUrl: urlFor([]),
  };
}
