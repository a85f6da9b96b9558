import path from 'node:path';
import type { Kysely } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { config } from '#platform/runtime/config.server.ts';
import { copyDatabase, copyOrder, digestsOf, type CopySide } from '#platform/database/copy.server.ts';
import { db, migrateSchema } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { openSqlite } from '#platform/database/sqlite.server.ts';
import { allTables } from '#platform/database/tables.server.ts';
import '../../src/app.server.ts';
import { makeCast } from '../support/cast.ts';
import { fillEmptyTables, linkRows } from '../support/every-table.ts';
import { ownPart } from '../support/services.ts';
import { onPostgres } from '../support/whole.ts';

const opened: Kysely<Tables>[] = [];
let original: CopySide;

beforeAll(async () => {
  await makeCast();
  original = { database: db(), isPostgres: onPostgres };
  await fillEmptyTables(original);
  for (const table of allTables()) {
    if (table.name === 'clients') await linkRows(db(), table, 'merged_into');
    if (table.name === 'containers') await linkRows(db(), table, 'parent_id');
  }
});
afterAll(() => Promise.all(opened.map((each) => each.destroy())));

/** An empty database with the schema. */
async function emptyDatabase(isPostgres: boolean): Promise<CopySide> {
  const place = path.join(config.dataDir, `copy-${opened.length}`);
  const { DATABASE_URL: url = '' } = isPostgres ? await ownPart(place) : {};
  const database = isPostgres
    ? (await import('#platform/database/postgres.server.ts')).openPostgres(url)
    : openSqlite(`${place}.db`);
  opened.push(database);
  await migrateSchema(database, isPostgres);
  return { database, isPostgres };
}

const nameOf = ({ isPostgres }: CopySide): string => (isPostgres ? 'PostgreSQL' : 'SQLite');

test('a database with rows in every table is copied completely from each engine to each', async () => {
  const empty: string[] = [];
  for (const { name } of allTables())
    if (!(await original.database.selectFrom(name).selectAll().limit(1).executeTakeFirst())) empty.push(name);
  expect(empty, 'tables without a row').toEqual([]);
  const digests = await digestsOf(original.database);
  const engines = onPostgres ? [false, true] : [false];
  for (const first of engines) {
    const copy = await emptyDatabase(first);
    await copyDatabase(original, copy);
    expect(await digestsOf(copy.database), `${nameOf(original)} to ${nameOf(copy)}`).toEqual(digests);
    for (const second of engines) {
      const again = await emptyDatabase(second);
      await copyDatabase(copy, again);
      expect(await digestsOf(again.database), `${nameOf(copy)} to ${nameOf(again)}`).toEqual(digests);
    }
  }
});

test('a table is copied after those that it references, and circles are closed at the end', () => {
  const tables = ['staff_clients', 'tasks', 'clients', 'groups'].map((name) => ({ name }));
  const key = (table: string, column: string, references: string) => ({ table, column, references });
  const { tables: order, laterColumns } = copyOrder(tables, [
    key('staff_clients', 'client_id', 'clients'),
    key('clients', 'merged_into', 'clients'),
    key('tasks', 'group_id', 'groups'),
    key('groups', 'first_task', 'tasks'),
    key('groups', 'gone', 'a table of another program'),
  ]);
  expect(order.map(({ name }) => name)).toEqual(['clients', 'staff_clients', 'groups', 'tasks']);
  expect([...laterColumns]).toEqual([
    ['clients', ['merged_into']],
    ['groups', ['first_task']],
  ]);
});
