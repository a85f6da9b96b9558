import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  act,
  begin,
  command,
  contentsOf,
  copyOf,
  databaseOf,
  filesIn,
  killedAt,
  momentsOf,
  newPlace,
  removePlaces,
  rowsIn,
  sampleOf,
  startPortal,
  tamper,
  touchesOf,
  type Place,
} from './support.ts';
import { encryptedColumns } from '#platform/database/tables.server.ts';
import '../../src/app.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import type { Filled } from './acts.ts';

const portal = newPlace();
let filled: Filled;

beforeAll(async () => {
  filled = await act(portal, 'fill', 6);
});
afterAll(removePlaces);

const keysOf = (place: Place): string[] => readFileSync(place.keyFile, 'utf8').trim().split('\n');
const idOf = (key: string): string => sha256(Buffer.from(key, 'hex')).slice(0, 8);

/** Every encrypted value. */
function encryptedWith(place: Place, key: string): string[] {
  return encryptedColumns().flatMap(({ column, name, table: { name: table } }) =>
    rowsIn(databaseOf(place), `select ${name} from ${table} where ${name} like ?`, `${idOf(key)}.%`).map(
      () => column,
    ),
  );
}

const ALIVE = {
  session: true,
  ticket: true,
  transaction: true,
  sentLink: 'open',
  waitingLink: 'closed',
  code: true,
  visit: true,
};

test('a key rotation under load goes unnoticed, and nothing refers to the old key afterwards', async () => {
  const place = copyOf(portal);
  const [old = ''] = keysOf(place);
  expect(new Set(encryptedWith(place, old))).toEqual(new Set(encryptedColumns().map(({ column }) => column)));
  const load = await begin(place, 'busy');
  const { code, said } = await command(place, 'rotate-key');
  const { done, errors } = await load.end();
  expect([code, said]).toEqual([
    0,
    expect.stringContaining(`the old one (${idOf(old)}) is gone from the key file.`),
  ]);
  expect(errors).toEqual([]);
  for (const count of Object.values(done)) expect(count).toBeGreaterThan(2);
  expect(keysOf(place)).toHaveLength(1);
  expect(keysOf(place)).not.toContain(old);
  expect(encryptedWith(place, old)).toEqual([]);
  const { said: verified } = await command(place, 'verify');
  expect(verified).toContain('everything is as it was written.');
  expect(await act(place, 'tryAll', filled)).toMatchObject({
    old: ALIVE,
    documentsAreWhole: true,
    newLinkWorks: true,
    signsIn: true,
  });
});

test('a killed key rotation leaves everything readable, and the next one completes it', async () => {
  const touches = await touchesOf(copyOf(portal), 'rotate-key');
  for (const touch of sampleOf(momentsOf(touches - 4, 3))) {
    const place = copyOf(portal);
    const before = keysOf(place);
    expect((await killedAt(touch, place, 'rotate-key')).code).toBeNull();
    expect((await command(place, 'verify')).said, `killed at ${touch} of ${touches}`).toContain(
      'everything is as it was written.',
    );
    expect((await command(place, 'rotate-key')).code).toBe(0);
    expect(keysOf(place)).toHaveLength(1);
    for (const key of before) expect(encryptedWith(place, key)).toEqual([]);
    expect((await act(place, 'tryAll', filled)).documentsAreWhole).toBe(true);
  }
}, 240_000);

test('two values swapped between rows are detected and keep the old key until they are fixed', async () => {
  const place = copyOf(portal);
  const swap =
    'create temp table two as select prism_guid, email from users limit 2; update users set email = (select email from two where two.prism_guid <> users.prism_guid) where prism_guid in (select prism_guid from two)';
  tamper(databaseOf(place), swap);
  const verified = await command(place, 'verify');
  expect(
    verified.said.match(
      /users\.email of user_\w+ cannot be decrypted: it was changed, or belongs to another row/g,
    ),
  ).toHaveLength(2);
  expect(verified.code).toBe(1);
  const before = keysOf(place);
  const rotated = await command(place, 'rotate-key');
  expect(rotated.said).toContain('Some values cannot be decrypted, so the old keys stay in KEY_FILE');
  expect(rotated.code).toBe(1);
  expect(keysOf(place)).toEqual(expect.arrayContaining(before));
});

test('the swapped keys of two files are detected', async () => {
  const place = copyOf(portal);
  tamper(
    databaseOf(place),
    'create temp table two as select blob_key, wrapped_key from blobs where wrapped_key is not null limit 2; update blobs set wrapped_key = (select wrapped_key from two where two.blob_key <> blobs.blob_key) where blob_key in (select blob_key from two)',
  );
  expect(
    (await command(place, 'verify')).said.match(/blobs\.wrapped_key of .* cannot be decrypted/g),
  ).toHaveLength(2);
});

test.each([
  [
    'another key',
    (place: Place) => writeFileSync(place.keyFile, `${'ab'.repeat(32)}\n`),
    'does not contain the key of this data',
  ],
  [
    'what is no key',
    (place: Place) => writeFileSync(place.keyFile, 'correct horse\n'),
    'does not contain a valid key: each line must have 64 hexadecimal digits.',
  ],
  ['no key', (place: Place) => writeFileSync(place.keyFile, ''), 'does not contain a valid key'],
])('with %s in its key file the portal does not start and changes nothing', async (_, put, sentence) => {
  const place = copyOf(portal);
  put(place);
  const key = readFileSync(place.keyFile, 'utf8');
  const [database, blobs] = [await dump(place), contentsOf(path.join(place.data, 'blobs'))];
  for (const run of [
    () => startPortal(place),
    () => command(place, 'rotate-key'),
    () => command(place, 'backup', ['--to', path.join(place.folder, 'backup')]),
    () => command(place, 'verify'),
  ]) {
    const { code, said } = await run();
    expect([code, said]).toEqual([1, expect.stringContaining(sentence)]);
    expect(said, 'a sentence, not the lines of the program').not.toMatch(/^ {4}at /m);
  }
  expect([
    await dump(place),
    contentsOf(path.join(place.data, 'blobs')),
    readFileSync(place.keyFile, 'utf8'),
  ]).toEqual([database, blobs, key]);
});

test('without its key file the portal does not start and creates no other key', async () => {
  const place = { ...copyOf(portal), keyFile: path.join(newPlace().folder, 'gone.key') };
  for (const run of [() => startPortal(place), () => command(place, 'rotate-key')]) {
    const { code, said } = await run();
    expect([code, said]).toEqual([
      1,
      expect.stringContaining(
        `KEY_FILE=${place.keyFile} does not exist. Put the key file of this data there`,
      ),
    ]);
    expect(existsSync(place.keyFile)).toBe(false);
  }
});

/** Every row of every table. */
function dump(place: Place): Promise<unknown> {
  const tables = rowsIn(
    databaseOf(place),
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name",
  ).map((row) => String(row['name']));
  return Promise.resolve(
    Object.fromEntries(tables.map((table) => [table, rowsIn(databaseOf(place), `select * from ${table}`)])),
  );
}

test('a rotation leaves no partial key file and keeps the old key, readable by its owner only, to restore earlier backups', async () => {
  const place = copyOf(portal);
  const [old = ''] = keysOf(place);
  const backup = path.join(newPlace().folder, 'backup');
  expect((await command(place, 'backup', ['--to', backup])).code).toBe(0);
  const { said } = await command(place, 'rotate-key');
  const kept = `${place.keyFile}.${idOf(old)}.old`;
  expect(said).toContain(`opened with the old key, which is kept in ${kept}:`);
  expect(filesIn(place.folder).filter((file) => !file.startsWith('data/'))).toEqual([
    'data.key',
    path.basename(kept),
  ]);
  expect([readFileSync(kept, 'utf8'), statSync(kept).mode & 0o777]).toEqual([`${old}\n`, 0o600]);
  const restored = await command({ ...newPlace(), keyFile: kept }, 'restore', ['--from', backup]);
  expect([restored.code, restored.said]).toEqual([0, expect.stringContaining('Restored and checked')]);
});
