import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { sha256 } from '#platform/security/crypto.server.ts';
import { migrations } from '#platform/database/migrations.server.ts';

/*
 * A released migration has already changed databases: editing it later would leave two kinds of them.
 */

const digests = z.record(z.string(), z.strictObject({ sqlite: z.string(), postgres: z.string() }));
const file = path.join(import.meta.dirname, 'landed-migrations.json');
const landed = digests.parse(JSON.parse(readFileSync(file, 'utf8')));
const names = Object.keys(migrations(false));

/** A database that only records its statements. */
function listening(postgres: boolean, heard: string[]): Kysely<never> {
  const dialect = {
    createAdapter: () => (postgres ? new PostgresAdapter() : new SqliteAdapter()),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db: Kysely<never>) =>
      postgres ? new PostgresIntrospector(db) : new SqliteIntrospector(db),
    createQueryCompiler: () => (postgres ? new PostgresQueryCompiler() : new SqliteQueryCompiler()),
  };
  return new Kysely<never>({ dialect, log: ({ query }) => void heard.push(query.sql) });
}

async function digestOf(name: string, postgres: boolean): Promise<string> {
  const heard: string[] = [];
  await migrations(postgres)[name]?.up(listening(postgres, heard));
  return sha256(heard.map((text) => text.replace(/\s+/g, ' ').trim()).join(';\n')).slice(0, 16);
}

test('every file of src/migrations is a migration that runs', () => {
  const files = globSync('[0-9]*.server.ts', { cwd: path.join(import.meta.dirname, '../../src/migrations') });
  expect(names).toEqual(files.map((name) => path.basename(name, '.server.ts')).toSorted());
});

test('migrations are ordered by name and the same on both engines', () => {
  expect(names).toEqual(names.toSorted());
  expect(Object.keys(migrations(true))).toEqual(names);
  expect(new Set(names.map((name) => name.slice(0, 4))).size, 'each has a number of its own').toBe(
    names.length,
  );
});

test('a new migration comes after all that have landed', () => {
  expect(names.slice(0, Object.keys(landed).length)).toEqual(Object.keys(landed));
});

test.each(Object.keys(landed))('the landed migration %s is unchanged', async (name) => {
  expect({ sqlite: await digestOf(name, false), postgres: await digestOf(name, true) }).toEqual(landed[name]);
});
