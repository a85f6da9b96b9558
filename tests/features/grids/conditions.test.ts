import { expect, test } from 'vitest';
import {
  conditionColumns,
  conditionsForm,
  conditionsOf,
  filterOf,
  type Condition,
} from '#features/base/grids/conditions.server.ts';
import { auditGrid } from '#features/office/staff/audit-log.server.ts';
import type { GridFilter } from '#features/base/grids/grids.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import '../../../src/app.server.ts';

const columns = conditionColumns(auditGrid, { lang: 'en-us', t: translationsFor('en-us', 'staff') });
const condition = (
  by: string,
  op: Condition['op'],
  value = '',
  join: Condition['join'] = 'and',
): Condition => ({
  join,
  by,
  op,
  value,
});
const problemsOf = (...conditions: Condition[]) =>
  conditionsForm(columns)
    .schema.safeParse({ conditions })
    .error?.issues.map(({ path, message }) => `${path.join('.')} ${message.replace('message:', '')}`) ?? [];

test('conditions joined by or become one group, all others another one', () => {
  const filter = filterOf(
    [
      condition('action', 'EQ', 'Signed in'),
      condition('number', 'LT', '5'),
      condition('number', 'BETWEEN', '7; 9', 'or'),
      condition('', 'EQ', 'of no column', 'or'),
      condition('at', 'GE', '2026-01-31'),
    ],
    columns,
  );
  expect(filter).toEqual({
    groups: [
      {
        useOr: false,
        items: [
          { by: 'action', op: 'EQ', value: 'session.start' },
          { by: 'at', op: 'GE', value: '2026-01-31' },
        ],
      },
      {
        useOr: true,
        items: [
          { by: 'number', op: 'LT', value: 5 },
          { by: 'number', op: 'BETWEEN', value: [7, 9] },
        ],
      },
    ],
  });
  expect(filterOf([condition('', 'EQ', 'x')], columns)).toBeUndefined();
});

test('a filter of an address is shown as the conditions that mean the same', () => {
  const filter: GridFilter = {
    groups: [
      { useOr: false, items: [{ by: 'at', op: '!BLANK' }] },
      {
        useOr: true,
        items: [
          { by: 'action', op: 'IN', value: ['session.start', 'session.end'] },
          { by: 'number', op: '!EQ', value: 3 },
        ],
      },
    ],
  };
  const conditions = conditionsOf(filter, columns);
  expect(conditions.map(({ join }) => join)).toEqual(['and', 'and', 'or']);
  expect(conditions[1]?.value).toBe('Signed in; Signed out');
  expect(problemsOf(...conditions)).toEqual([]);
  expect(filterOf(conditions, columns)).toEqual(filter);
});

test('a value that does not fit its column or comparison is refused with the reason', () => {
  expect(
    problemsOf(
      condition('number', 'EQ', 'many'),
      condition('number', 'LIKE', '1'),
      condition('at', 'LT', '31 February'),
      condition('at', 'BETWEEN', '2026-01-01'),
      condition('action', 'EQ', 'Danced'),
      condition('action', 'EQ', ''),
      condition('action', 'BLANK', ''),
      condition('action', 'LIKE', 'sess'),
      condition('at', 'EQ', '31.01.2026'),
    ),
  ).toEqual([
    'conditions.0.value valueNotNumber',
    'conditions.1.value valueNotText',
    'conditions.2.value valueNotDay',
    'conditions.3.value valueNotPair',
    'conditions.4.value valueUnknown',
    'conditions.5.value valueMissing',
  ]);
});

test('twenty conditions fit in a filter, however they are joined', () => {
  const conditions = Array.from({ length: 20 }, (_, index) =>
    condition('number', 'EQ', String(index), index % 3 === 1 ? 'or' : 'and'),
  );
  const filter = filterOf(conditions, columns);
  expect(filter?.groups.length).toBeLessThanOrEqual(10);
  expect(filter?.groups.flatMap(({ items }) => items)).toHaveLength(20);
});
