import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  act,
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
} from './support.ts';
import type { Filled } from './acts.ts';

const portal = newPlace();
const folder = path.join(newPlace().folder, 'backup');
let filled: Filled;

beforeAll(async () => {
  filled = await act(portal, 'fill', 6);
  expect((await command(portal, 'backup', ['--to', folder])).code).toBe(0);
  await act(portal, 'endAll', filled); // since the backup, everything was ended
});
afterAll(removePlaces);

const DEAD = {
  session: false,
  ticket: false,
  transaction: false,
  sentLink: 'over',
  waitingLink: 'over',
  code: false,
  visit: false,
};

test('everything usable before the backup is invalid after the restore, and new sign-ins and links work', async () => {
  const place = newPlace({}, portal);
  const { code, said } = await command(place, 'restore', ['--from', folder]);
  expect(said).toContain('This is epoch 2.');
  expect(said).toContain('revoked after the backup: 2;');
  // mails, notifications on devices, and collected notices that were not yet mails
  expect(said).toContain('Pending mails, notifications and other jobs of that time, which are dropped: 43.');
  expect(code).toBe(0);
  expect((await command(place, 'doctor')).said).toContain(
    'SQLite answers; 2 firms; the schema is up to date.',
  );
  const tried = await act(place, 'tryAll', filled);
  expect(tried).toEqual({
    old: DEAD,
    documentsAreWhole: true,
    leftOver: 0,
    newLinkWorks: true,
    newMails: 2, // the link, and that it was opened
    signsIn: true,
  });

  const entries = rowsIn(
    databaseOf(place),
    "select company_id, details from audit where action = 'portal.restored'",
  );
  expect(entries.map((entry) => entry['details'])).toEqual(['{"epoch":2}', '{"epoch":2}']);
  expect((await act(place, 'audit')).faults).toEqual([]);
});

test('on the day before the backup all of that worked', async () => {
  const place = newPlace({}, portal);
  await command(place, 'restore', ['--from', folder]); // the files, together with the old database
  cpSync(path.join(folder, 'portal.db'), databaseOf(place));
  const tried = await act(place, 'tryAll', filled);
  expect(tried.old).toEqual({
    session: true,
    ticket: true,
    transaction: true,
    sentLink: 'open',
    waitingLink: 'closed',
    code: true,
    visit: true,
  });
  // a link, an invitation, a comment and a message to each of the staff, those about tasks, signatures and payroll
  // entries, and to each reader of a request what became of it
  expect(tried.leftOver).toBe(40);
});

test('restoring a restored backup starts another epoch', async () => {
  const second = newPlace({}, portal);
  await command(second, 'restore', ['--from', folder]);
  const later = path.join(newPlace().folder, 'backup');
  await command(second, 'backup', ['--to', later]);
  const third = newPlace({}, portal);
  expect((await command(third, 'restore', ['--from', later])).said).toContain('This is epoch 3.');
  expect((await act(third, 'audit')).faults).toEqual([]);
});

test('a restore over a portal in use is refused', async () => {
  const place = copyOf(portal);
  const before = rowsIn(databaseOf(place), 'select * from documents');
  const { code, said } = await command(place, 'restore', ['--from', folder]);
  expect(said).toContain('There is an installation here already. Restore into an empty place');
  expect(code).toBe(1);
  expect(rowsIn(databaseOf(place), 'select * from documents')).toEqual(before);
  expect(filesIn(place.data).filter((file) => file.includes('restoring'))).toEqual([]);
  expect((await act(place, 'audit')).faults).toEqual([]);
});

test('a damaged backup is not restored', async () => {
  const bad = path.join(newPlace().folder, 'backup');
  cpSync(folder, bad, { recursive: true });
  const file = path.join(bad, filesIn(bad).findLast((name) => name.startsWith('blobs/')) ?? '');
  const bytes = readFileSync(file);
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  const place = newPlace({}, portal);
  const { code, said } = await command(place, 'restore', ['--from', bad]);
  expect(said).toContain('Nothing was restored: this backup is damaged.');
  expect(said).toContain('has changed since the backup');
  expect(code).toBe(1);
  expect(existsSync(place.data)).toBe(false);
});

test('a backup with another key is not restored, and no key is created', async () => {
  const stranger = newPlace();
  writeFileSync(stranger.keyFile, `${'ab'.repeat(32)}\n`);
  expect((await command(stranger, 'restore', ['--from', folder])).said).toContain(
    'was made with another key',
  );
  const keyless = newPlace();
  expect((await command(keyless, 'restore', ['--from', folder])).said).toContain(
    'does not exist. Put the key file of this data there',
  );
  for (const place of [stranger, keyless]) expect(existsSync(place.data)).toBe(false);
  expect(existsSync(keyless.keyFile)).toBe(false);
});

test('a killed restore prevents the portal from starting, and the same restore again completes it', async () => {
  const touches = await touchesOf(newPlace({}, portal), 'restore', ['--from', folder]);
  for (const touch of sampleOf([...momentsOf(touches - 4, 4), 10, 16])) {
    const place = newPlace({}, portal);
    expect((await killedAt(touch, place, 'restore', ['--from', folder])).code).toBeNull();
    const isBegun = filesIn(place.data).length > 0;
    const isDone =
      isBegun &&
      filesIn(place.data).includes('portal.db') &&
      rowsIn(databaseOf(place), "select value from settings where name = 'restoring'")[0]?.['value'] === '0';
    if (isBegun && !isDone) {
      const { code, said } = await startPortal(place);
      expect([code, said], `killed at ${touch} of ${touches}`).toEqual([
        1,
        expect.stringContaining(
          'A restore was started here and did not finish. Run `npm run restore` with the same backup again.',
        ),
      ]);
    }
    if (isDone) continue; // only the verification was missing
    const again = await command(place, 'restore', ['--from', folder]);
    expect([again.code, again.said], `killed at ${touch} of ${touches}`).toEqual([
      0,
      expect.stringContaining('This is epoch 2.'),
    ]);
    expect((await act(place, 'tryAll', filled)).old).toEqual(DEAD);
  }
}, 300_000);

test('a backup of a newer version is not restored', async () => {
  const place = copyOf(portal);
  tamper(
    databaseOf(place),
    "insert into kysely_migration (name, timestamp) values ('9999-of-tomorrow', '2030-01-01T00:00:00Z')",
  );
  const newer = path.join(newPlace().folder, 'backup');
  await command(place, 'backup', ['--to', newer]);
  const target = newPlace({}, portal);
  const { code, said } = await command(target, 'restore', ['--from', newer]);
  expect(said).toMatch(/this backup was made by a newer version of the portal \(0\.\S+; this is 0\.\S+\)\./);
  expect(code).toBe(1);
  expect(filesIn(target.data)).toEqual([]);
});

test('a restore does not change the backup', async () => {
  const before = contentsOf(folder);
  await command(newPlace({}, portal), 'restore', ['--from', folder]);
  expect(contentsOf(folder)).toEqual(before);
});
