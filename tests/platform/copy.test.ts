import path from 'node:path';
import { sql, type Kysely } from 'kysely';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { config } from '#platform/runtime/config.server.ts';
import { copyDatabase, digestsOf, pagesOf } from '#platform/database/copy.server.ts';
import { db, migrate, snapshotInto } from '#platform/database/database.server.ts';
import { openSqlite } from '#platform/database/sqlite.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import '../../src/app.server.ts';
import { makeCast, uploadAs } from '../support/cast.ts';
import { onPostgres } from '../support/whole.ts';

const opened: Kysely<Tables>[] = [];
let cast: Awaited<ReturnType<typeof makeCast>>;
let clientId = '';
let companyId = '';

beforeAll(async () => {
  cast = await makeCast();
  [clientId, companyId] = [cast.clientA, cast.firmOne];
});
afterAll(() => Promise.all(opened.map((each) => each.destroy())));

/** An empty database with the schema. */
async function newDatabase(): Promise<Kysely<Tables>> {
  const file = path.join(config.dataDir, `copy-${opened.length}.db`);
  await snapshotInto(file);
  const database = openSqlite(file);
  opened.push(database);
  await sql`pragma foreign_keys=off`.execute(database);
  const triggers = (
    await sql<{
      name: string;
      sql: string;
    }>`select name, sql from sqlite_schema where type = 'trigger'`.execute(database)
  ).rows;
  for (const { name } of triggers) await sql`drop trigger ${sql.ref(name)}`.execute(database);
  for (const { name } of await db().introspection.getTables())
    await database.deleteFrom(name as keyof Tables).execute();
  for (const trigger of triggers) await sql.raw(trigger.sql).execute(database);
  await sql`pragma foreign_keys=on`.execute(database);
  return database;
}

/** Copies between databases of SQLite, and returns the number of rows. */
const copy = async (from: Kysely<Tables>, to: Kysely<Tables>): Promise<number> =>
  (
    await copyDatabase(
      { database: from, isPostgres: onPostgres && from === db() },
      { database: to, isPostgres: false },
    )
  ).rows;

/** The tables of a database, except those that triggers maintain on both sides. */
const tablesOf = async (database: Kysely<Tables>): Promise<string[]> =>
  (await database.introspection.getTables())
    .map(({ name }) => name)
    .filter((name) => !['unread', 'client_search_people', 'possible_duplicates'].includes(name))
    .toSorted();

test('every table of the schema is copied with all its rows', async () => {
  const tables = await tablesOf(db());
  expect(Object.keys(await digestsOf(db())).toSorted()).toEqual(
    tables.filter((name) => !name.startsWith('kysely_')).toSorted(),
  );
  const target = await newDatabase();
  const rows = await copy(db(), target);
  expect(await digestsOf(target)).toEqual(await digestsOf(db()));
  expect(rows).toBeGreaterThan(30);
  expect(await copy(db(), await newDatabase())).toBe(rows);
});

test('texts and numbers of all kinds are copied unchanged', async () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 }).map((given) => given.toWellFormed());
  const instant = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
  const [source, target] = [await newDatabase(), await newDatabase()];
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          kind: text,
          payload: text,
          at: instant,
          done: fc.option(instant),
          error: fc.option(text),
        }),
        { maxLength: 20 },
      ),
      async (jobs) => {
        for (const database of [source, target]) await database.deleteFrom('jobs').execute();
        for (const [index, { kind, payload, at, done, error }] of jobs.entries()) {
          await source
            .insertInto('jobs')
            .values({
              job_id: `job ${index}`,
              kind,
              payload,
              unique_key: null,
              run_at: at,
              attempts: 0,
              last_error: error,
              created_at: at,
              done_at: done,
            })
            .execute();
        }
        expect(await copy(source, target)).toBe(jobs.length);
        expect(await target.selectFrom('jobs').selectAll().orderBy('job_id').execute()).toEqual(
          await source.selectFrom('jobs').selectAll().orderBy('job_id').execute(),
        );
        expect(await digestsOf(target)).toEqual(await digestsOf(source));
      },
    ),
    { numRuns: 15 },
  );
});

test('copied folders keep their parents in any order of ids', async () => {
  const folder = (id: string, parent: string | null) => ({
    container_id: id,
    company_id: companyId,
    client_id: clientId,
    container_type: 'folder' as const,
    parent_id: parent,
    name: id,
    name_key: id,
    product_type: null,
    processing_year: null,
    created_by: '',
    created_at: 0,
    modified_at: 0,
  });
  for (const [id, parent] of [
    ['z', null],
    ['y', 'z'],
    ['a', 'y'],
    ['m', 'a'],
    ['b', 'm'],
  ] as const)
    await db().insertInto('containers').values(folder(id, parent)).execute();
  for (let index = 0; index < 1100; index += 1)
    await db()
      .insertInto('containers')
      .values(folder(`n${index}`, 'z'))
      .execute(); // more than a page of rows between a folder and its parent
  const target = await newDatabase();
  await copy(db(), target);
  const rows = await target
    .selectFrom('containers')
    .select(['container_id', 'parent_id'])
    .where('container_id', 'in', ['z', 'y', 'a', 'm', 'b'])
    .orderBy('container_id')
    .execute();
  expect(rows.map(({ container_id: id, parent_id: parent }) => `${id} in ${parent ?? 'nothing'}`)).toEqual([
    'a in y',
    'b in m',
    'm in a',
    'y in z',
    'z in nothing',
  ]);
  expect(await digestsOf(target)).toEqual(await digestsOf(db()));
});

test('a table of several pages is read completely and without duplicates', async () => {
  const keys = Array.from(
    { length: 2500 },
    (_, index) => `page-${String((index * 7919) % 2500).padStart(5, '0')}`,
  );
  for (const name of keys) await db().insertInto('settings').values({ name, value: name }).execute();
  const read: unknown[] = [];
  for await (const rows of pagesOf(db(), { name: 'settings', key: ['name'] })) {
    expect(rows.length).toBeLessThanOrEqual(1000);
    read.push(...rows.map((row) => row['name']).filter((name) => String(name).startsWith('page-')));
  }
  expect(read).toEqual(keys.toSorted());
});

test('a difference in a value, row or parent changes the digest of its table only', async () => {
  const target = await newDatabase();
  await copy(db(), target);
  const before = await digestsOf(target);
  const changes: [keyof Tables, string][] = [
    ['firms', "update firms set phone = phone || ' ' where company_id = (select min(company_id) from firms)"],
    ['containers', "update containers set parent_id = 'z' where container_id = 'b'"],
    ['client_contacts', 'delete from client_contacts where rowid = (select max(rowid) from client_contacts)'],
    [
      'clients',
      'update clients set created_at = created_at + 1 where client_id = (select min(client_id) from clients)',
    ],
    ['themes', "update themes set logo_key = '' where company_id = (select min(company_id) from themes)"],
  ];
  for (const [table, statement] of changes) {
    const earlier = await digestsOf(target);
    await sql.raw(statement).execute(target);
    const later = await digestsOf(target);
    expect(Object.keys(later).filter((name) => later[name] !== earlier[name])).toEqual([table]);
  }
  expect(await digestsOf(db())).toEqual(before);
});

test('a rejected row aborts the whole copy', async () => {
  const target = await newDatabase();
  await target
    .insertInto('jobs')
    .values({
      job_id: 'job_taken',
      kind: '',
      payload: '',
      unique_key: 'taken',
      run_at: 0,
      attempts: 0,
      last_error: null,
      created_at: 0,
      done_at: null,
    })
    .execute();
  await db()
    .insertInto('jobs')
    .values({
      job_id: 'job_other',
      kind: '',
      payload: '',
      unique_key: 'taken',
      run_at: 0,
      attempts: 0,
      last_error: null,
      created_at: 0,
      done_at: null,
    })
    .execute();
  await expect(copy(db(), target)).rejects.toThrow();
  expect(await target.selectFrom('firms').selectAll().execute()).toEqual([]);
});

test('a snapshot has the current schema', async () => {
  await migrate();
  const target = await newDatabase();
  expect(await tablesOf(target)).toEqual(await tablesOf(db()));
});

test('a copy numbers its documents in the order of the original, for a search keeps the newest', async () => {
  for (let i = 0; i < 9; i += 1) await uploadAs(cast.sam, cast.projectA, `Week ${i}.pdf`, String(i));
  const target = await newDatabase();
  await copy(db(), target);
  const ids = async (database: Kysely<Tables>) =>
    (await database.selectFrom('documents').select('document_id').orderBy('seq').execute()).map(
      (row) => row.document_id,
    );
  const order = await ids(db());
  expect(order).not.toEqual(order.toSorted());
  expect(await ids(target)).toEqual(order);
});
