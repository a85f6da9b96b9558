import { z } from 'zod';
import type { Choice } from '#platform/forms/forms.ts';
import { defineForm } from '#platform/forms/forms.server.ts';
import { fold } from '#platform/database/database.server.ts';
import { dateFromText } from '#platform/inputs/typed-dates.ts';
import type { KeysOf, Namespace } from '#platform/text/translations.server.ts';
import { isFilterable, labelText, type CellContext, type GridCore } from './define.server.ts';
import { filterSchema, type ColumnType } from './filters.server.ts';
import { OPERATORS, type FilterItem, type FilterScalar, type GridFilter } from './grids.ts';
import { GRID_FORMS } from './rules.ts';

/*
 * The conditions of a grid as a form: a list in which each condition says how it is joined to the one before. Those
 * joined by *or* are a group of the filter; everything else is joined by *and*, which is every filter of the spec.
 */

const MAX_CONDITIONS = 20;

const JOINS = ['and', 'or'] as const;

const OPERATOR_LABELS = [
  ['LIKE', 'opLike'],
  ['EQ', 'opEquals'],
  ['!EQ', 'opNotEquals'],
  ['IN', 'opIn'],
  ['!IN', 'opNotIn'],
  ['LT', 'opLess'],
  ['LE', 'opLessOrEqual'],
  ['GT', 'opGreater'],
  ['GE', 'opGreaterOrEqual'],
  ['BETWEEN', 'opBetween'],
  ['!BETWEEN', 'opNotBetween'],
  ['BLANK', 'opBlank'],
  ['!BLANK', 'opNotBlank'],
] as const satisfies readonly (readonly [FilterItem['op'], KeysOf<'grids'>])[];

/** A condition as it is typed. */
export interface Condition {
  join: (typeof JOINS)[number];
  by: string;
  op: FilterItem['op'];
  value: string;
}

/** The columns that conditions may name, and the texts of the values of choices. */
interface ConditionColumns {
  choices: readonly Choice[];
  types: Readonly<Record<string, ColumnType>>;
  texts: Readonly<Record<string, ReadonlyMap<string, string>>>;
}

/** The columns of a grid for conditions. Ids and codes of the program are left out: no one can type them. */
export function conditionColumns<N extends Namespace, K extends KeysOf<N>>(
  { columns }: GridCore<N, K>,
  context: Pick<CellContext<K>, 'lang' | 't'>,
): ConditionColumns {
  const able = Object.entries(columns).filter(
    ([, column]) => isFilterable(column) && column.type !== 'exact',
  );
  return {
    choices: able.map(([value, { label }]) => ({ value, text: context.t(label) })),
    types: Object.fromEntries(able.map(([key, { type }]) => [key, type])),
    texts: Object.fromEntries(
      able.map(([key, { options = [] }]) => {
        const all = typeof options === 'function' ? options() : options;
        return [key, new Map(all.map(([value, label]) => [value, labelText(label, context)]))];
      }),
    ),
  };
}

const JOIN_LABELS = [
  ['and', 'joinAnd'],
  ['or', 'joinOr'],
] as const satisfies readonly (readonly [Condition['join'], KeysOf<'grids'>])[];

/** The form for the conditions of a grid. Conditions without a column are left out. */
export const conditionsForm = (columns: ConditionColumns) =>
  defineForm('grids', (message) => ({
    id: GRID_FORMS.conditions,
    title: 'conditions',
    problemTitle: 'formProblem',
    submit: 'conditionsApply',
    schema: z.object({
      conditions: z.array(
        z
          .object({
            join: z.enum(JOINS).catch('and'),
            by: z.string().max(60),
            op: z.enum(OPERATORS),
            value: z.string().trim().max(2000),
          })
          .superRefine((condition, context) => {
            if (condition.by !== '' && !isValid(condition, columns))
              context.addIssue({
                code: 'custom',
                path: ['value'],
                message: message(problemOf(condition, columns)).error,
              });
          }),
      ),
    }),
    fields: {
      conditions: {
        kind: 'group',
        label: 'condition',
        hint: 'conditionHint',
        max: MAX_CONDITIONS,
        add: 'conditionAdd',
        remove: 'conditionRemove',
        fields: {
          join: { kind: 'select', label: 'conditionJoin', options: JOIN_LABELS },
          by: { kind: 'select', label: 'conditionColumn' },
          op: { kind: 'select', label: 'conditionOperator', options: OPERATOR_LABELS },
          value: { kind: 'text', label: 'conditionValue', optional: true, maxlength: 2000 },
        },
      },
    },
  }));

function isValid(condition: Condition, columns: ConditionColumns): boolean {
  const schema = filterSchema(
    Object.fromEntries(Object.entries(columns.types).map(([key, type]) => [key, { type }])),
  );
  const item = itemOf(condition, columns);
  const known = columns.texts[condition.by];
  const values = Array.isArray(item.value) ? item.value : [item.value ?? ''];
  const isKnown =
    columns.types[condition.by] !== 'choice' ||
    ['LIKE', 'BLANK', '!BLANK'].includes(item.op) ||
    values.every((value) => known?.has(String(value)));
  return values.every((value) => NO_VALUE.includes(item.op) || value !== '') && isKnown
    ? schema.safeParse({ groups: [{ items: [item] }] }).success
    : false;
}

function problemOf({ by, op, value }: Condition, { types }: ConditionColumns): KeysOf<'grids'> {
  const type = types[by];
  if (op === 'LIKE' && (type === 'time' || type === 'number')) return 'valueNotText';
  if (value === '') return 'valueMissing';
  if (PAIR.includes(op) && valuesIn(value).length !== 2) return 'valueNotPair';
  if (type === 'time') return 'valueNotDay';
  if (type === 'number') return 'valueNotNumber';
  return 'valueUnknown';
}

const NO_VALUE: readonly string[] = ['BLANK', '!BLANK'];
const PAIR: readonly string[] = ['BETWEEN', '!BETWEEN'];
const LIST: readonly string[] = ['IN', '!IN'];
const SEPARATOR = ';';

const valuesIn = (text: string): string[] =>
  text
    .split(SEPARATOR)
    .map((part) => part.trim())
    .filter(Boolean);

/** A condition as an item of a filter, which may not be valid. */
function itemOf({ by, op, value }: Condition, columns: ConditionColumns): FilterItem {
  if (NO_VALUE.includes(op)) return { by, op };
  const read = (text: string): FilterScalar => scalarOf(text, by, columns);
  return { by, op, value: PAIR.includes(op) || LIST.includes(op) ? valuesIn(value).map(read) : read(value) };
}

function scalarOf(text: string, by: string, { types, texts }: ConditionColumns): FilterScalar {
  const type = types[by];
  if (type === 'time') return /^\d{9,}$/.test(text) ? Number(text) : dateFromText(text);
  if (type === 'number' && text !== '') {
    const number = Number(text.replace(',', '.'));
    return Number.isFinite(number) ? number : text;
  }
  if (type !== 'choice') return text;
  const [value] = [...(texts[by] ?? [])].find(([, label]) => fold(label) === fold(text)) ?? [];
  return value ?? text;
}

/** The filter that conditions mean; undefined without any. */
export function filterOf(
  conditions: readonly Condition[],
  columns: ConditionColumns,
): GridFilter | undefined {
  const runs: FilterItem[][] = [];
  for (const condition of conditions.filter(({ by }) => by !== '')) {
    const item = itemOf(condition, columns);
    const last = runs.at(-1);
    if (condition.join === 'or' && last) last.push(item);
    else runs.push([item]);
  }
  const single = runs.flatMap((items) => (items.length === 1 ? items : []));
  const groups = [
    ...(single.length > 0 ? [{ useOr: false, items: single }] : []),
    ...runs.flatMap((items) => (items.length > 1 ? [{ useOr: true, items }] : [])),
  ];
  return groups.length > 0 ? { groups } : undefined;
}

/** The conditions of a filter. */
export const conditionsOf = (
  filter: GridFilter | undefined,
  { types, texts }: ConditionColumns,
): Condition[] =>
  (filter?.groups ?? []).flatMap(({ useOr, items }) =>
    items.flatMap(({ by, op, value }, index): Condition[] => {
      if (types[by] === undefined) return [];
      const all = value === undefined ? [] : Array.isArray(value) ? value : [value];
      const text = all.map((one) => texts[by]?.get(String(one)) ?? String(one)).join(`${SEPARATOR} `);
      return [{ join: useOr && index > 0 ? 'or' : 'and', by, op, value: text }];
    }),
  );
