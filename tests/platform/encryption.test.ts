import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { config } from '#platform/runtime/config.server.ts';
import { changeKeys, keyIds } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { encryptionFaults, encryptedRows } from '#platform/database/encrypted-rows.server.ts';
import { encryptFor, decryptFrom } from '#platform/security/encryption.server.ts';
import { changeSetting, installationSecret } from '#platform/runtime/settings.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import { encryptedColumns } from '#platform/database/tables.server.ts';
import '../../src/app.server.ts';
import { makeCast } from '../support/cast.ts';

const COLUMNS = encryptedColumns().map(({ column }) => column);
let userIds: string[] = [];
let sound: { prism_guid: string; email: string }[] = [];

beforeAll(async () => {
  await makeCast();
  await enqueue('mail', { to: 'ada@one.example' });
  sound = await db().selectFrom('users').select(['prism_guid', 'email']).orderBy('prism_guid').execute();
  userIds = sound.map(({ prism_guid: id }) => id);
});
afterEach(async () => {
  for (const { prism_guid: id, email } of sound)
    await db().updateTable('users').set({ email }).where('prism_guid', '=', id).execute();
});

const put = (id: string, email: string) =>
  db().updateTable('users').set({ email }).where('prism_guid', '=', id).execute();
const [first, second] = [
  () => sound[0] ?? { prism_guid: '', email: '' },
  () => sound[1] ?? { prism_guid: '', email: '' },
];

test.each(COLUMNS)('a value of %s can be decrypted in its own row and column only', (column) => {
  const encrypted = encryptFor(column, 'row one', 'of Ada alone');
  expect(decryptFrom(column, 'row one', encrypted)).toBe('of Ada alone');
  expect(() => decryptFrom(column, 'row two', encrypted)).toThrow();
  for (const other of COLUMNS.filter((each) => each !== column))
    expect(() => decryptFrom(other, 'row one', encrypted)).toThrow();
});

/** The columns of a table's key, in order. */
const keyOf = (table = '') =>
  config.databaseUrl === undefined
    ? sql`select name from pragma_table_info(${table}) where pk > 0 order by pk`
    : sql`select attname as name from pg_index join pg_attribute on attrelid = indrelid and attnum = any(indkey) where indrelid = ${table}::regclass and indisprimary order by array_position(indkey::int2[], attnum)`;

test('every encrypted column is in the schema, with the key of its table', async () => {
  const tables = await db().introspection.getTables();
  expect(COLUMNS).toContain('comments.body');
  expect(COLUMNS).toContain('task_messages.body');
  for (const {
    column,
    name,
    table: { name: table, key },
  } of encryptedColumns()) {
    const { rows } = await sql<{ name: string }>`${keyOf(table)}`.execute(db());
    expect(
      rows.map((row) => row.name),
      column,
    ).toEqual(key);
    expect(
      tables.find((each) => each.name === table)?.columns.map((each) => each.name),
      column,
    ).toContain(name);
  }
});

test('an unchanged database has no encryption faults', async () => {
  await installationSecret('a-secret');
  await changeSetting('plain', 'deadbeef is no seal');
  expect(await encryptionFaults()).toEqual([]);
  const columns = new Set((await Array.fromAsync(encryptedRows())).map(({ column }) => column));
  expect(columns).toEqual(new Set(['users.email', 'jobs.payload', 'settings.value', 'blobs.wrapped_key']));
});

test('values swapped between two rows are reported in both', async () => {
  await put(first().prism_guid, second().email);
  await put(second().prism_guid, first().email);
  expect(await encryptionFaults()).toEqual(
    [first(), second()].map(
      ({ prism_guid: id }) =>
        `users.email of ${id} cannot be decrypted: it was changed, or belongs to another row`,
    ),
  );
});

test('a value with one changed character is reported', async () => {
  const { prism_guid: id, email } = first();
  await put(id, email.slice(0, 20) + (email[20] === 'A' ? 'B' : 'A') + email.slice(21));
  expect(await encryptionFaults()).toEqual([
    `users.email of ${id} cannot be decrypted: it was changed, or belongs to another row`,
  ]);
});

test('an unencrypted value is reported, even if it resembles an encrypted one', async () => {
  for (const plain of ['ada@one.example', 'adaadaad.one@x.example', '']) {
    await put(first().prism_guid, plain);
    expect(await encryptionFaults()).toEqual([
      `users.email of ${first().prism_guid} cannot be decrypted: it is not encrypted`,
    ]);
  }
});

test('a value with a key missing from the key file is reported, with the name of the key', async () => {
  const [old = ''] = keyIds();
  changeKeys([old], true);
  const [newest = ''] = keyIds();
  const { prism_guid: id } = first();
  await put(id, encryptFor('users.email', id, 'ada@one.example'));
  changeKeys([old], false);
  expect(await encryptionFaults()).toEqual([
    `users.email of ${id} cannot be decrypted: its key ${newest} is not in KEY_FILE`,
  ]);
  expect(userIds).toContain(id);
});
