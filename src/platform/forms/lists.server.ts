import { z } from 'zod';
import { fieldViewOf, type Field } from './forms.server.ts';
import type { Choice } from './forms.ts';
import { formatDate, formatNumber } from '../text/formats.ts';
import { LANGUAGES, type Lang } from '../text/languages.ts';
import { translationsFor, type KeysOf, type Namespace } from '../text/translations.server.ts';

/*
 * The address of a list is defined by one zod schema, which yields the query, the addresses of its other pages, and
 * the filter form (docs/decisions/0045). `Table.astro` and `FilterForm.astro` render it.
 */

export interface ListDefinition<
  N extends Namespace = Namespace,
  S extends z.ZodObject = z.ZodObject,
  K extends string = string,
> {
  namespace: N;
  /** The parameters of the address, each with a default. */
  schema: S;
  /** The parameter for the position in the list. Changing a filter resets it. */
  position: 'from' | 'pageNum' | 'before' | 'after';
  /** The label of the pager, where "Pages" is not specific enough. */
  pages?: K;
  filter?: { id: string; title: K; submit: K; fields: Partial<Record<string, Field<K>>> };
}

/** Defines the address of a list. Filters are parameters of the schema. */
export const defineList = <N extends Namespace, S extends z.ZodObject>(
  namespace: N,
  definition: Omit<ListDefinition<N, S, KeysOf<N>>, 'namespace' | 'filter'> & {
    filter?: {
      id: string;
      title: KeysOf<N>;
      submit: KeysOf<N>;
      fields: { [F in keyof z.input<S> & string]?: Field<KeysOf<N>> };
    };
  },
): ListDefinition<N, S, KeysOf<N>> => ({ namespace, ...definition });

/** The query of an address. Invalid parameters count as missing. */
export function queryOf<S extends z.ZodObject>(
  { schema }: { schema: S },
  parameters: URLSearchParams,
): z.output<S> {
  const valid = Object.fromEntries(
    Object.entries(schema.shape).flatMap(([name, field]) => {
      const value = parameters.get(name);
      return value !== null && z.safeParse(field, value).success ? [[name, value]] : [];
    }),
  );
  return schema.parse(valid);
}

interface Page {
  url: URL;
  locals: { lang: Lang };
}

/** The number of rows; `isMore` when counting stopped there. */
interface ResultCount {
  count: number;
  isMore?: boolean;
}

/** The list of a page: its query, addresses derived from it, pager and filter form. */
export function useList<N extends Namespace, S extends z.ZodObject>(
  { url, locals: { lang } }: Page,
  definition: ListDefinition<N, S, KeysOf<N>>,
) {
  const query = queryOf(definition, url.searchParams);
  const defaults: Record<string, unknown> = definition.schema.parse({});
  const { position } = definition;
  /** The address of the list with changed parameters, from its start. Defaults are omitted. */
  const urlFor = (change: Partial<z.input<S>> = {}, page = url.pathname): string => {
    const client = url.searchParams.get('client') ?? undefined;
    const settings = { ...query, [position]: undefined, ...change, client };
    const parameters = new URLSearchParams(
      Object.entries(settings).flatMap(([name, value]) =>
        value === undefined || value === defaults[name] ? [] : [[name, String(value)]],
      ),
    );
    return parameters.size > 0 ? `${page}?${parameters}` : page;
  };
  const at = (value: number): string => urlFor({ [position]: value } as Partial<z.input<S>>);
  return {
    query,
    urlFor,
    /** The pager of a list with a known total, or with that many or more (`isMore`); none for a single page. */
    pager: (total: number, pageSize: number, isMore = false) => {
      if (total <= pageSize) return undefined;
      const value = Number((query as Record<string, unknown>)[position]);
      const [start, step] = position === 'from' ? [value, pageSize] : [(value - 1) * pageSize, 1];
      const label = definition.pages && translationsFor(lang, definition.namespace)(definition.pages);
      return pagerOf(lang, {
        label,
        start,
        end: start + pageSize,
        total,
        isMore,
        previousUrl: start > 0 ? at(Math.max(value - step, position === 'from' ? 0 : 1)) : undefined,
        nextUrl: start + pageSize < total ? at(value + step) : undefined,
      });
    },
    /** The pager of a list whose pages begin at places; the total may be a part of the rows (`isMore`). */
    placePager: ({ start, shown, total, isMore, previous, next }: PlacedPage) => {
      if (previous === undefined && next === undefined) return undefined;
      const to = (place: string | undefined): string | undefined =>
        place === undefined ? undefined : urlFor({ [position]: place } as Partial<z.input<S>>);
      return pagerOf(lang, {
        label: undefined,
        start,
        end: start + shown,
        total: Math.max(total, start + shown),
        isMore,
        previousUrl: to(previous),
        nextUrl: to(next),
      });
    },
    filter: (results: ResultCount | undefined, choices: Record<string, readonly Choice[]> = {}) =>
      filterOf(definition, lang, {
        query,
        defaults,
        urlWithout: (name) => urlFor({ [name]: undefined } as Partial<z.input<S>>),
        results,
        choices,
      }),
  };
}

/** A page of a list with how many rows are before it, and where the pages beside it begin. */
interface PlacedPage {
  start: number;
  shown: number;
  total: number;
  isMore: boolean;
  previous: string | undefined;
  next: string | undefined;
}

interface Range {
  label: string | undefined;
  start: number;
  end: number;
  total: number;
  isMore?: boolean;
  previousUrl: string | undefined;
  nextUrl: string | undefined;
}

function pagerOf(lang: Lang, { label, start, end, total, isMore = false, previousUrl, nextUrl }: Range) {
  const t = translationsFor(lang, 'common');
  const number = (value: number): string => formatNumber(LANGUAGES[lang], Math.min(value, total));
  return {
    label: label ?? t('pages'),
    range: t('range', {
      start: number(start + 1),
      end: number(end),
      total: `${number(total)}${isMore ? '+' : ''}`,
    }),
    previousLabel: t('previousPage'),
    nextLabel: t('nextPage'),
    previousUrl,
    nextUrl,
  };
}

interface FilterContext {
  query: Record<string, unknown>;
  defaults: Record<string, unknown>;
  urlWithout: (name: string) => string;
  results: ResultCount | undefined;
  choices: Record<string, readonly Choice[]>;
}

function filterOf<N extends Namespace, S extends z.ZodObject>(
  { namespace, filter }: ListDefinition<N, S, KeysOf<N>>,
  lang: Lang,
  { query, defaults, urlWithout, results, choices }: FilterContext,
) {
  if (!filter) throw new Error('This list has no filters.');
  const t = translationsFor(lang, namespace);
  const common = translationsFor(lang, 'common');
  const fields = Object.entries(filter.fields).flatMap(([name, field]) =>
    field
      ? [
          fieldViewOf(name, field, {
            value: query[name],
            choices: choices[name],
            t,
            lang,
          }),
        ]
      : [],
  );
  const active = fields
    .filter(({ kind, name }) => kind !== 'hidden' && query[name] !== defaults[name])
    .map((field) => ({
      text: common('labelAndValue', { label: field.label, value: shownValue(field, lang) }),
      removeLabel: common('removeFilter'),
      removeUrl: urlWithout(field.name),
    }));
  return {
    id: filter.id,
    title: t(filter.title),
    submit: t(filter.submit),
    fields,
    moreLabel: common('filtersMore'),
    activeLabel: common('filtersChosen'),
    active,
    resultText:
      active.length === 0 || !results?.count
        ? ''
        : common(results.isMore ? 'foundMore' : 'found', { count: results.count }),
  };
}

/** The value of a filter as its field displays it. */
function shownValue(field: ReturnType<typeof fieldViewOf>, lang: Lang): string {
  if (field.kind === 'select' || field.kind === 'choices')
    return field.choices.find(({ value }) => value === field.value)?.text ?? field.value;
  if (field.kind === 'date') return formatDate(LANGUAGES[lang], field.value, 'UTC');
  return String(field.value);
}
