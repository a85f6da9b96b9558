import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { sql, type Kysely } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { migrateSchema } from '#platform/database/database.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { migrations } from '#platform/database/migrations.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { openSqlite } from '#platform/database/sqlite.server.ts';
import { timeZoneFor } from '#platform/text/time-zones.ts';
import { DAYS, EARLY, migrateWith } from '../support/landings.ts';
import { WHOLE } from '../support/whole.ts';

/* A database of every day of main is migrated to the current schema. */

const all = migrations(false);
/** Every state is tried in full runs; otherwise the earliest ones, which were the least orderly, and samples. */
const SAMPLES = DAYS.filter((_, day) => WHOLE || day < EARLY || day % 8 === 0);
const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-history-'));
let today: string[] = [];

/** A database with only these migrations. */
async function madeWith(numbers: readonly string[]): Promise<Kysely<Tables>> {
  const database = openSqlite(path.join(folder, `${numbers.length}-${Math.random()}.db`));
  expect(await migrateWith(database, all, numbers)).toBeUndefined();
  return database;
}

/** Its tables with their columns, its indexes and triggers, in sorted order. */
async function schemaOf(database: Kysely<Tables>): Promise<string[]> {
  const columns = sql`select 'column ' || m.name || ' ' || c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || coalesce(c.dflt_value, '') || ' ' || c.pk as what
    from sqlite_schema m join pragma_table_info(m.name) c where m.type = 'table' and m.name not like 'document_words%'`;
  const others = sql`select type || ' ' || name || ' ' || coalesce(sql, '') as what from sqlite_schema where type <> 'table'`;
  const { rows } = await sql<{ what: string }>`${columns} union all ${others}`.execute(database);
  const spaced = rows.map(({ what }) => what.replace(/\s+/g, ' ').replace(/(?<=index )if not exists /i, ''));
  return spaced.toSorted();
}

beforeAll(async () => {
  const fresh = await madeWith(Object.keys(all).map((name) => name.slice(0, 4)));
  today = await schemaOf(fresh);
  await fresh.destroy();
});

test.each(SAMPLES.map((numbers) => [numbers.length, numbers.at(-1), numbers] as const))(
  'a database with %i migrations, of which %s landed last, is brought up to date',
  async (_, __, numbers) => {
    const database = await madeWith(numbers);
    await migrateSchema(database, false);
    expect(await schemaOf(database)).toEqual(today);
    await database.destroy();
  },
);

test('a database from the first day, whose first migration lacked an index, gets the index', async () => {
  const database = await madeWith(['0001']);
  await sql`drop index one_contact_folder`.execute(database);
  await migrateSchema(database, false);
  expect(await schemaOf(database)).toEqual(today);
  await database.destroy();
});

test('an existing firm gets the default time zone of its language', async () => {
  const database = await madeWith(DAYS[0] ?? []);
  const languages = [...LANGS, 'PT', 'de'];
  for (const language of languages) {
    await sql`insert into firms (company_id, name, phone, email, language, locked)
      values (${language}, 'Old Ledger', '', 'office@old.example', ${language}, 0)`.execute(database);
  }
  await migrateSchema(database, false);
  const firms = await database.selectFrom('firms').select(['language', 'time_zone']).execute();
  expect(new Map(firms.map((firm) => [firm.language, firm.time_zone]))).toEqual(
    new Map(languages.map((language) => [language, timeZoneFor(language)])),
  );
  expect(timeZoneFor('de')).toBe('UTC');
  await database.destroy();
});

test('a database that a newer version has migrated is refused with an explanation', async () => {
  const database = await madeWith(['0001']);
  await sql`insert into kysely_migration values ('9999-of-tomorrow', '2099-01-01T00:00:00.000Z')`.execute(
    database,
  );
  await expect(migrateSchema(database, false)).rejects.toThrow(
    /^The database contains the migration 9999-of-tomorrow, which this version of the portal does not know/,
  );
  await database.destroy();
});
