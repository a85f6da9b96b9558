import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { defineGrid, gridQueryOf } from '#features/base/grids/define.server.ts';
import { filterSchema, type ColumnType } from '#features/base/grids/filters.server.ts';
import type { FilterItem, FilterScalar, GridFilter, GridQuery } from '#features/base/grids/grids.ts';
import { idsOf, readGrid } from '#features/base/grids/reading.server.ts';
import { db, fold } from '#platform/database/database.server.ts';
import { makeCast } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { sam, tom, firmOne } = await makeCast();
/** Where 8 March 2026 has 23 hours. */
const ZONE = 'America/Chicago';
await db().updateTable('firms').set({ time_zone: ZONE }).where('company_id', '=', firmOne).execute();

interface Row {
  id: number;
  name: string | null;
  kind: string;
  size: number | null;
  at: number | null;
}

const NAMES = ['Ágata', 'ágata íris', 'Zed', 'zed', '', null, '100%', 'a_b', 'a\\b', 'ÉCOLE', '𝒳ylo', 'ﬁ'];
const KINDS = ['business', 'individual', ''];
const SIZES = [null, -2, 0, 1.5, 2, 3_000_000_000];
const DAY = 86_400_000;
const midnight = (day: string): number =>
  Temporal.PlainDate.from(day).toZonedDateTime(ZONE).epochMilliseconds;
const [START, END] = [midnight('2026-03-08'), midnight('2026-03-09')];
const TIMES = [null, START - 1, START, START + 5 * 3_600_000, END - 1, END, START + 30 * DAY];

/** 200 rows, in which every value meets every other. */
const ROWS: Row[] = Array.from({ length: 200 }, (_, id) => ({
  id,
  name: NAMES[id % NAMES.length] ?? null,
  kind: KINDS[Math.floor(id / 2) % KINDS.length] ?? '',
  size: SIZES[Math.floor(id / 3) % SIZES.length] ?? null,
  at: TIMES[Math.floor(id / 5) % TIMES.length] ?? null,
}));

await sql`create table grid_rows (id bigint primary key, name_key ${sql.raw(process.env['TEST_DATABASE_URL'] === undefined ? 'text' : 'text collate "C"')}, kind ${sql.raw(process.env['TEST_DATABASE_URL'] === undefined ? 'text' : 'text collate "C"')}, size numeric, at bigint)`.execute(
  db(),
);
for (const { id, name, kind, size, at } of ROWS)
  await sql`insert into grid_rows values (${id}, ${name === null ? null : fold(name)}, ${kind}, ${size}, ${at})`.execute(
    db(),
  );

const cell = () => '';
const grid = defineGrid({
  name: 'rows',
  namespace: 'staff',
  path: '/api/staff/v1/grids/rows',
  caption: 'contactsTitle',
  submit: 'settingsTitle',
  empty: 'contactsTitle',
  noMatch: 'contactsTitle',
  from: () => db().selectFrom(sql<{ id: number }>`grid_rows`.as('r')),
  id: sql.ref('r.id'),
  columns: {
    name: {
      label: 'contactsTitle',
      type: 'text',
      sql: sql.ref('r.name_key'),
      isNullable: true,
      cell,
      isRowHeader: true,
    },
    kind: { label: 'columnAction', type: 'choice', sql: sql.ref('r.kind'), cell, isGroupable: true },
    size: {
      label: 'columnAction',
      type: 'number',
      sql: sql`cast(r.size as double precision)`,
      isNullable: true,
      cell,
      isGroupable: true,
    },
    at: { label: 'columnWhen', type: 'time', sql: sql.ref('r.at'), isNullable: true, cell },
    shown: { label: 'columnWho', type: 'text', cell },
  },
  orderBy: [{ by: 'name', dir: 'asc' }],
  search: { label: 'contactsTitle', in: ['name'] },
  fields: { kind: { kind: 'text', label: 'filterAction', by: 'kind', op: 'EQ' } },
  rows: (_actor, ids) => Promise.resolve(ROWS.filter(({ id }) => ids.includes(id))),
  idOf: ({ id }) => id,
  nameOf: ({ name }) => name ?? '',
});

const queryOf = (parameters: Record<string, string> = {}): GridQuery =>
  gridQueryOf(grid, grid.parameters.parse(parameters));
const all = async (query: GridQuery): Promise<(string | number)[]> => {
  const ids: (string | number)[] = [];
  for await (const some of idsOf(grid, sam, query, 60)) ids.push(...some);
  return ids;
};

/** What the filter means, without SQL. */
const TYPES: Record<string, ColumnType> = { name: 'text', kind: 'choice', size: 'number', at: 'time' };
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const order = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : byBytes(String(a), String(b));

function valueOf(row: Row, by: string): string | number | null {
  const value = { name: row.name === null ? '' : fold(row.name), kind: row.kind, size: row.size, at: row.at }[
    by
  ];
  return value ?? null;
}

/** The first and the last value that a value of a filter stands for. */
function span(by: string, value: FilterScalar): [string | number, string | number] {
  if (by === 'at' && typeof value === 'string') {
    const [start, next] = [value, Temporal.PlainDate.from(value).add({ days: 1 }).toString()].map(midnight);
    return [start ?? 0, (next ?? 0) - 1];
  }
  const one = by === 'name' ? fold(String(value)) : typeof value === 'number' ? value : String(value);
  return [one, one];
}

function matches(row: Row, { by, op, value }: FilterItem): boolean {
  if (op.startsWith('!')) {
    const opposite = { '!BLANK': 'BLANK', '!EQ': 'EQ', '!BETWEEN': 'BETWEEN', '!IN': 'IN' } as const;
    return !matches(row, { by, op: opposite[op as keyof typeof opposite], value });
  }
  const own = valueOf(row, by);
  if (op === 'BLANK') return own === null || own === '';
  if (own === null) return false;
  const values = (Array.isArray(value) ? value : [value ?? '']).map((one) => span(by, one));
  const [[from, to] = ['', ''], [, end] = ['', '']] = values;
  const isEqual = ([start, last]: [string | number, string | number]): boolean =>
    order(own, start) >= 0 && order(own, last) <= 0;
  if (op === 'LIKE') {
    const [text, part] =
      by === 'name' ? [String(own), String(from)] : [lower(String(own)), lower(String(from))];
    return text.includes(part);
  }
  if (op === 'EQ') return isEqual([from, to]);
  if (op === 'IN') return values.some(isEqual);
  if (own === '') return false;
  if (op === 'LT') return order(own, from) < 0;
  if (op === 'LE') return order(own, to) <= 0;
  if (op === 'GT') return order(own, to) > 0;
  if (op === 'GE') return order(own, from) >= 0;
  return order(own, from) >= 0 && order(own, end) <= 0;
}
const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const SINGLE = ['LT', 'LE', 'GT', 'GE', 'EQ', '!EQ'] as const;
const values: Record<string, fc.Arbitrary<string | number>> = {
  name: fc.constantFrom('ágata', 'ZED', 'z', '%', '_', '\\', 'école', 'é', '', 'fi', '𝒳'),
  kind: fc.constantFrom('business', 'BUS', '', 'other'),
  size: fc.constantFrom(-2, 0, 1.5, 1.4, 2, 3_000_000_000, 1e18),
  at: fc.constantFrom<string | number>('2026-03-08', '2026-03-09', '2026-04-07', START, END, 0),
};
const anItem: fc.Arbitrary<FilterItem> = fc.constantFrom('name', 'kind', 'size', 'at').chain((by) => {
  const value = values[by] ?? fc.constant('');
  return fc.oneof(
    fc.record({ by: fc.constant(by), op: fc.constantFrom('BLANK', '!BLANK') }),
    fc.record({ by: fc.constant(by), op: fc.constantFrom(...SINGLE), value }),
    fc.record({
      by: fc.constant(by),
      op: fc.constantFrom('BETWEEN', '!BETWEEN'),
      value: fc.tuple(value, value),
    }),
    fc.record({
      by: fc.constant(by),
      op: fc.constantFrom('IN', '!IN'),
      value: fc.array(value, { minLength: 1, maxLength: 4 }),
    }),
    ...(TYPES[by] === 'text' || TYPES[by] === 'choice'
      ? [fc.record({ by: fc.constant(by), op: fc.constant('LIKE'), value: value.map(String) })]
      : []),
  ) as fc.Arbitrary<FilterItem>;
});
const aFilter: fc.Arbitrary<GridFilter> = fc.record({
  groups: fc.array(
    fc.record({ useOr: fc.boolean(), items: fc.array(anItem, { minLength: 1, maxLength: 3 }) }),
    { maxLength: 3 },
  ),
});
const isMatch = (row: Row, { groups }: GridFilter): boolean =>
  groups.every(({ useOr, items }) => items[useOr ? 'some' : 'every']((item) => matches(row, item)));

describe('the filter of a grid', () => {
  test('a filter finds exactly the rows that it describes, whatever its operators, values and groups', async () => {
    await fc.assert(
      fc.asyncProperty(aFilter, async (filter) => {
        const found = await all(queryOf({ filter: JSON.stringify(filter) }));
        const wanted = ROWS.filter((row) => isMatch(row, filter)).map(({ id }) => id);
        expect(found.map(Number).toSorted((a, b) => a - b)).toEqual(wanted);
      }),
      { numRuns: 150 },
    );
  });

  test('a filter names only columns of its grid, with values of their types, and within the limits', () => {
    const schema = filterSchema({ name: { type: 'text' }, size: { type: 'number' }, at: { type: 'time' } });
    const ok = (...items: unknown[]): boolean =>
      schema.safeParse({ groups: [{ useOr: false, items }] }).success;
    expect([
      ok({ by: 'name', op: 'EQ', value: 'a' }),
      ok({ by: 'size', op: 'BETWEEN', value: [1, 2] }),
      ok({ by: 'at', op: 'GE', value: '2026-01-31' }),
      ok({ by: 'name', op: 'BLANK' }),
    ]).toEqual([true, true, true, true]);
    expect([
      ok({ by: 'password_hash', op: 'EQ', value: 'a' }),
      ok({ by: '__proto__', op: 'BLANK' }),
      ok({ by: 'constructor', op: 'BLANK' }),
      ok({ by: 'name', op: 'EQ', value: 1 }),
      ok({ by: 'name', op: 'EQ' }),
      ok({ by: 'name', op: 'BLANK', value: '' }),
      ok({ by: 'name', op: 'DROP', value: '' }),
      ok({ by: 'name', op: 'EQ', value: 'a\0' }),
      ok({ by: 'size', op: 'LIKE', value: 1 }),
      ok({ by: 'size', op: 'BETWEEN', value: [1] }),
      ok({ by: 'size', op: 'IN', value: [] }),
      ok({ by: 'at', op: 'EQ', value: '2026-02-30' }),
      ok(),
      ok(...Array.from({ length: 21 }, () => ({ by: 'name', op: 'BLANK' }))),
      ok({ by: 'size', op: 'IN', value: Array.from({ length: 201 }, () => 1) }),
      schema.safeParse({
        groups: Array.from({ length: 11 }, () => ({ items: [{ by: 'name', op: 'BLANK' }] })),
      }).success,
    ]).toEqual(Array.from({ length: 16 }, () => false));
    expect(grid.parameters.safeParse({ sort: 'shown' }).success, 'a column without SQL').toBe(false);
    expect(grid.parameters.safeParse({ group: 'name' }).success, 'not a column for groups').toBe(false);
    expect(grid.parameters.safeParse({ sort: 'name,-name' }).success, 'a column twice').toBe(false);
  });

  test('the search box and the fields of the form narrow the same rows', async () => {
    const wanted = ROWS.filter(({ name, kind }) => fold(name ?? '').includes('%') && kind === 'business');
    expect(
      (await all(queryOf({ searchTerm: '%', kind: 'business' }))).map(Number).toSorted((a, b) => a - b),
    ).toEqual(wanted.map(({ id }) => id));
  });
});

describe('the pages of a grid', () => {
  const sorts = ['', 'name', '-name', 'size,name', '-size,at', 'at,-size', '-at', 'kind,-name,size'];
  test.each(sorts)(
    'pages follow each other without a gap or a repetition, both ways, sorted by "%s"',
    async (sort) => {
      const whole = await all(queryOf({ sort }));
      expect(new Set(whole).size).toBe(ROWS.length);
      const forward: number[] = [];
      let page = await readGrid(grid, sam, queryOf({ sort }), 30);
      expect([page.start, page.total, page.previous]).toEqual([0, ROWS.length, undefined]);
      for (;;) {
        forward.push(...page.rows.map(({ id }) => id));
        if (page.next === undefined) break;
        page = await readGrid(grid, sam, queryOf({ sort, after: page.next }), 30);
      }
      expect(forward).toEqual(whole);
      const back: number[] = [];
      for (;;) {
        back.unshift(...page.rows.map(({ id }) => id));
        expect(page.rows[0]?.id).toBe(whole[page.start]);
        if (page.previous === undefined) break;
        page = await readGrid(grid, sam, queryOf({ sort, after: page.previous }), 30);
      }
      expect(back).toEqual(whole);
    },
  );

  test('rows are sorted as their values are, and blank ones come first', async () => {
    const byId = new Map(ROWS.map((row) => [row.id, row]));
    const sizes = (await all(queryOf({ sort: 'size' }))).map((id) => byId.get(Number(id))?.size ?? -Infinity);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    const names = (await all(queryOf({ sort: '-name' }))).map((id) => fold(byId.get(Number(id))?.name ?? ''));
    expect(names).toEqual(names.toSorted((a, b) => byBytes(b, a)));
  });

  test('a position in a list is refused in another order, for another person, and when it was changed', async () => {
    const { next = '' } = await readGrid(grid, sam, queryOf(), 30);
    for (const [actor, query] of [
      [sam, queryOf({ after: next, sort: 'size' })],
      [sam, queryOf({ after: next, searchTerm: 'z' })],
      [tom, queryOf({ after: next })],
      [sam, queryOf({ after: `${next.slice(0, -4)}AAAA` })],
      [sam, queryOf({ after: 'x' })],
    ] as const)
      await expect(readGrid(grid, actor, query)).rejects.toMatchObject({ code: 'INVALID' });
    expect((await readGrid(grid, sam, queryOf({ after: next }), 30)).start).toBe(30);
  });
});

describe('the groups of a grid', () => {
  test('groups count the rows in them, at every level, and the last level lists the rows', async () => {
    const group = 'kind,size';
    const { groups, total } = await readGrid(grid, sam, queryOf({ group }));
    expect(total).toBe(ROWS.length);
    const kinds = [...new Set(ROWS.map(({ kind }) => kind))].toSorted(byBytes);
    expect(groups.map(({ key, count }) => [key, count])).toEqual(
      kinds.map((kind) => [kind, ROWS.filter((row) => row.kind === kind).length]),
    );
    const inner = await readGrid(grid, sam, queryOf({ group, path: JSON.stringify(['business']) }));
    expect(inner.groups.reduce((sum, { count }) => sum + count, 0)).toBe(
      ROWS.filter(({ kind }) => kind === 'business').length,
    );
    expect(inner.groups[0]?.key, 'blank values are a group of their own, the first').toBe(null);
    for (const { key, count } of inner.groups) {
      const page = await readGrid(
        grid,
        sam,
        queryOf({ group, path: JSON.stringify(['business', key]) }),
        100,
      );
      expect([page.total, page.rows.length]).toEqual([count, count]);
      expect(page.rows.every(({ kind, size }) => kind === 'business' && size === key)).toBe(true);
    }
  });

  test('at most four columns group the rows', () => {
    const columns = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e'].map((key) => [
        key,
        { label: 'columnWho', type: 'choice', sql: sql.ref(`r.${key}`), cell, isGroupable: true } as const,
      ]),
    );
    const { parameters } = defineGrid({ ...grid, columns, from: () => db().selectFrom('firms') });
    expect(parameters.safeParse({ group: 'a,b,c,d' }).success).toBe(true);
    expect(parameters.safeParse({ group: 'a,b,c,d,e' }).success).toBe(false);
  });
});
