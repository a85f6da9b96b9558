import { sql, type Kysely } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { migrateSchema } from '#platform/database/database.server.ts';
import { migrations } from '#platform/database/migrations.server.ts';
import { openPostgres } from '#platform/database/postgres.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { DAYS, migrateWith } from '../support/landings.ts';
import { ownPart } from '../support/services.ts';
import { WHOLE } from '../support/whole.ts';

/* A database of some days of main is migrated to the current schema, as on SQLite, where all are tried. */

const all = migrations(true);
/** In full runs all; otherwise the first day, and days on which some migrations had landed before earlier ones. */
const SAMPLES = DAYS.filter(
  (numbers) => WHOLE || ['0001', '0012', '0040', '0095'].includes(numbers.at(-1) ?? ''),
);
let databases = 0;
let today: string[] = [];

/** A database with only these migrations. */
async function madeWith(numbers: readonly string[]): Promise<Kysely<Tables>> {
  const { DATABASE_URL: url = '' } = await ownPart(
    `history ${process.pid} ${Date.now()} ${(databases += 1)}`,
  );
  const database = openPostgres(url);
  expect(await migrateWith(database, all, numbers)).toBeUndefined();
  return database;
}

/** Its columns, constraints, indexes, triggers and functions, in sorted order; columns may stand in another order. */
async function schemaOf(database: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ what: string }>`
    select concat_ws(' ', 'column', table_name, column_name, data_type, collation_name, is_nullable, column_default,
        identity_generation, generation_expression) as what
      from information_schema.columns where table_schema = 'public'
    union all select concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid))
      from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'
    union all select concat_ws(' ', 'index', indexdef) from pg_indexes where schemaname = 'public'
    union all select concat_ws(' ', 'trigger', pg_get_triggerdef(oid)) from pg_trigger where not tgisinternal
    union all select concat_ws(' ', 'function', pg_get_functiondef(oid))
      from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'
  `.execute(database);
  return rows.map(({ what }) => what.replace(/\s+/g, ' ')).toSorted();
}

beforeAll(async () => {
  const fresh = await madeWith(Object.keys(all).map((name) => name.slice(0, 4)));
  today = await schemaOf(fresh);
  await fresh.destroy();
});

test.each(SAMPLES.map((numbers) => [numbers.length, numbers.at(-1), numbers] as const))(
  'a PostgreSQL database with %i migrations, of which %s landed last, is brought up to date',
  async (_, __, numbers) => {
    const database = await madeWith(numbers);
    expect(await schemaOf(database)).not.toEqual(today);
    await migrateSchema(database, true);
    expect(await schemaOf(database)).toEqual(today);
    await database.destroy();
  },
);

test('all text is compared by its bytes, so that indexes serve whatever it is compared with', () => {
  expect(today.filter((what) => /^column \S+ \S+ text (?!C )/.test(what))).toEqual([]);
});
