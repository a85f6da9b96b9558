import { randomInt } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WHOLE } from '../support/whole.ts';
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
  tamper,
  touchesOf,
  type Place,
} from './support.ts';

const portal = newPlace();
const backups = newPlace().folder;
let latest = 0;
const newFolder = (): string => path.join(backups, String((latest += 1)));

beforeAll(() => act(portal, 'fill', 6));
afterAll(removePlaces);

async function backUp(place: Place, folder = newFolder()): Promise<string> {
  const { code, said } = await command(place, 'backup', ['--to', folder]);
  expect(said).toContain('Checked: every file is as it was written.');
  expect(code).toBe(0);
  return folder;
}

test('a backup names the version of the portal that made it, among the files that are checked', async () => {
  const place = copyOf(portal);
  const folder = await backUp(place);
  const version = readFileSync('dist/version', 'utf8');
  expect(version).toMatch(/^\d+\.\d+\.\d+(?:\+[0-9a-f]{8,}(?:\.changed)?)?\n$/);
  expect(readFileSync(path.join(folder, 'VERSION'), 'utf8')).toBe(version);
  expect(readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8')).toMatch(/^[0-9a-f]{64}  VERSION$/m);
  const { said } = await command(place, 'backup', ['--check', folder]);
  expect(said).toContain(`Made by version ${version.trim()}.`);
  writeFileSync(path.join(folder, 'VERSION'), '9.9.9\n');
  const changed = await command(place, 'backup', ['--check', folder]);
  expect(changed.said).toContain('VERSION has changed since the backup');
  expect(changed.code).toBe(1);
});

async function restored(folder: string): Promise<Place> {
  const place = newPlace({}, portal);
  const { code, said } = await command(place, 'restore', ['--from', folder]);
  expect(said).toContain('Restored and checked');
  expect(code).toBe(0);
  return place;
}

test('a backup of a portal in use is consistent, with nothing dangling or missing', async () => {
  const place = copyOf(portal);
  const load = await begin(place, 'busy');
  const folder = newFolder();
  const [first, second] = [
    await command(place, 'backup', ['--to', folder]),
    await command(place, 'backup', ['--to', folder]),
  ];
  const { done, errors } = await load.end();
  expect(errors).toEqual([]);
  expect(done.uploads).toBeGreaterThan(5);
  expect([first.code, second.code], first.said + second.said).toEqual([0, 0]);
  const copy = await restored(folder);
  const { code, said } = await command(copy, 'verify');
  expect(said).toContain('everything is as it was written.');
  expect(code).toBe(0);
  expect(rowsIn(databaseOf(copy), 'select count(*) as n from documents')[0]?.['n']).toBeGreaterThan(6);
}, 180_000);

test('a second backup into the same folder copies only new files and removes deleted ones', async () => {
  const place = copyOf(portal);
  const folder = await backUp(place);
  const before = filesIn(folder);
  const again = await command(place, 'backup', ['--to', folder]);
  expect(again.said).toContain(', 0 of them new)');
  const load = await begin(place, 'busy');
  await load.end();
  const third = await command(place, 'backup', ['--to', folder]);
  const added = filesIn(folder).length - before.length;
  expect(added).toBeGreaterThan(0);
  expect(third.said).toContain(`, ${added} of them new)`);

  const [gone] = rowsIn(
    databaseOf(place),
    'select blob_key, document_id from documents order by seq limit 1',
  );
  tamper(
    databaseOf(place),
    `pragma foreign_keys=off; delete from blobs where blob_key = '${String(gone?.['blob_key'])}'; delete from documents where document_id = '${String(gone?.['document_id'])}'`,
  );
  await command(place, 'backup', ['--to', folder]);
  expect(filesIn(folder).filter((file) => file.endsWith(String(gone?.['blob_key'])))).toEqual([]);
});

test('the portal records when its last complete backup was made', async () => {
  const place = copyOf(portal);
  const noted = () =>
    rowsIn(databaseOf(place), "select value from settings where name = 'backup-at'").map(({ value }) =>
      Number(value),
    );
  expect(noted()).toEqual([]);
  const [began, folder] = [Date.now(), await backUp(place)];
  expect(noted()).toEqual([expect.closeTo(began, -5)]);
  tamper(databaseOf(place), "update settings set value = '1' where name = 'backup-at'");
  await command(place, 'backup', ['--check', folder]);
  expect(noted(), 'a check makes none').toEqual([1]);
});

test('a damaged file of an earlier backup is copied again', async () => {
  const folder = await backUp(portal);
  const file = path.join(folder, filesIn(folder).find((name) => name.startsWith('blobs/')) ?? '');
  const bytes = readFileSync(file);
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  const { said } = await command(portal, 'backup', ['--to', folder]);
  expect(said).toContain(', 1 of them new)');
  await restored(folder);
});

test('a single flipped bit in any file of a backup is detected', async () => {
  const { checkBackup } = await import('#platform/database/backup.server.ts');
  const { config } = await import('#platform/runtime/config.server.ts');
  cpSync(portal.keyFile, config.keyFile);
  const folder = await backUp(portal);
  const files = filesIn(folder);
  const undetected: string[] = [];
  for (let flips = 0; flips < (WHOLE ? 1000 : 200); flips += 1) {
    const name = files[flips % files.length] ?? '';
    const original = readFileSync(path.join(folder, name));
    const bytes = Buffer.from(original);
    // The last bytes of the lists too, since bytes after the digits are easily overlooked.
    const place = flips % 5 === 0 ? bytes.length - 1 : randomInt(bytes.length);
    const bit = randomInt(8);
    bytes[place] = (bytes[place] ?? 0) ^ (1 << bit);
    writeFileSync(path.join(folder, name), bytes);
    const found = await checkBackup(folder).then(
      (faults) => faults.length > 0,
      () => true,
    );
    if (!found) undetected.push(`${name} byte ${place} bit ${bit}`);
    writeFileSync(path.join(folder, name), original);
  }
  expect(undetected).toEqual([]);
  expect(await checkBackup(folder)).toEqual([]);
}, 300_000);

test('verifying a damaged backup names the file, and a backup for another key says so', async () => {
  const folder = await backUp(portal);
  const file = filesIn(folder).find((name) => name.startsWith('blobs/')) ?? '';
  rmSync(path.join(folder, file));
  const missing = await command(portal, 'backup', ['--check', folder]);
  expect(missing.said).toContain(`${file} is missing`);
  expect(missing.code).toBe(1);

  const stranger = newPlace();
  writeFileSync(stranger.keyFile, `${'ab'.repeat(32)}\n`);
  const other = await command(stranger, 'backup', ['--check', folder]);
  expect(other.said).toContain('was made with another key. Set KEY_FILE to the key file that was used then.');
  expect(other.code).toBe(1);

  const keyless = newPlace();
  const none = await command(keyless, 'backup', ['--check', folder]);
  expect(none.said).toContain(`KEY_FILE=${keyless.keyFile} does not exist.`);
  expect(filesIn(keyless.folder), 'no key was made').toEqual([]);
});

test('a killed first backup is not accepted, and the next one into the same folder is complete', async () => {
  const touches = await touchesOf(portal, 'backup', ['--to', newFolder()]);
  const folder = newFolder();
  let broken = 0;
  for (const touch of sampleOf(momentsOf(touches - 4, 5))) {
    const { code } = await killedAt(touch, portal, 'backup', ['--to', folder]);
    const check = await command(portal, 'backup', ['--check', folder]);
    const whole = filesIn(folder).includes('SHA256SUMS.seal');
    if (!whole) broken += 1;
    expect(code).toBeNull();
    expect(
      [check.code, check.said.includes('is not a complete backup')],
      `killed at ${touch} of ${touches}: ${check.said}`,
    ).toEqual(whole ? [0, false] : [1, true]);
  }
  expect(broken).toBeGreaterThan(WHOLE ? 3 : 0);
  await restored(await backUp(portal, folder));
}, 180_000);

test('a backup killed at any point while replacing an earlier one leaves a complete one that can be restored', async () => {
  const place = copyOf(portal);
  const earlier = await backUp(place);
  await (await begin(place, 'busy')).end(); // new files, and files that are no longer used
  const again = newFolder();
  cpSync(earlier, again, { recursive: true });
  const touches = await touchesOf(place, 'backup', ['--to', again]);
  // nearly all of the last ones replace files of the earlier backup
  const last = Array.from({ length: 24 }, (_, index) => touches - 24 + index);
  const moments = [
    ...sampleOf(momentsOf(touches - 25, WHOLE ? 40 : 6)),
    ...(WHOLE ? last : last.filter((at) => at % 4 === 0)),
  ];
  const kept = new Set<string>();
  for (const touch of moments) {
    const folder = newFolder();
    cpSync(earlier, folder, { recursive: true });
    expect((await killedAt(touch, place, 'backup', ['--to', folder])).code, `at ${touch}`).toBeNull();
    const { code, said } = await command(place, 'backup', ['--check', folder]);
    expect([code, said], `killed at ${touch} of ${touches}`).toEqual([
      0,
      expect.stringContaining('Checked: every file is as it was written.'),
    ]);
    const copy = await restored(folder);
    kept.add(String(rowsIn(databaseOf(copy), 'select count(*) as n from documents')[0]?.['n']));
    const next = await command(place, 'backup', ['--to', folder]);
    expect([next.code, next.said], `the next one after ${touch}`).toEqual([0, expect.any(String)]);
    expect(filesIn(folder), 'nothing is left over').toEqual(filesIn(again));
  }
  expect(kept.size, 'some moments left the earlier backup, some the later').toBe(2);
}, 300_000);

test('a backup that fails says so in one sentence, keeps the earlier one, and says of when it is', async () => {
  const place = copyOf(portal);
  const folder = await backUp(place);
  const before = contentsOf(folder);
  chmodSync(databaseOf(place), 0o600);
  const made = statSync(path.join(folder, 'SHA256SUMS.seal'))
    .mtime.toISOString()
    .slice(0, 16)
    .replace('T', ' ');
  // a file where the copy of the database should go, which cannot be replaced
  mkdirSync(path.join(folder, 'portal.db.new', 'in the way'), { recursive: true });
  const { code, said } = await command(place, 'backup', ['--to', folder]);
  expect(code).toBe(1);
  expect(said.trim().split('\n').at(-1)).toBe(
    `No new backup was made. The one of ${made} UTC in ${folder} was kept and can be restored.`,
  );
  expect(said, 'no stack').not.toMatch(/^ +at /m);
  rmSync(path.join(folder, 'portal.db.new'), { recursive: true });
  expect(contentsOf(folder)).toEqual(before);
  await restored(folder);
});

test('a backup refuses a folder with other content and the data folder itself', async () => {
  const holiday = newFolder();
  mkdirSync(path.join(holiday, 'blobs', 'ab'), { recursive: true });
  writeFileSync(path.join(holiday, 'blobs', 'ab', 'photo.jpg'), 'the beach');
  const other = await command(portal, 'backup', ['--to', holiday]);
  expect(other.said).toContain('contains other files. Choose an empty');
  expect(filesIn(holiday)).toEqual(['blobs/ab/photo.jpg']);

  const before = contentsOf(path.join(portal.data, 'blobs'));
  for (const inside of [portal.data, path.join(portal.data, 'backups')]) {
    const { code, said } = await command(portal, 'backup', ['--to', inside]);
    expect(said).toContain('is inside DATA_DIR');
    expect(code).toBe(1);
  }
  expect(contentsOf(path.join(portal.data, 'blobs'))).toEqual(before);
});

test('a backup without a portal reports so and creates nothing', async () => {
  const empty = newPlace({}, portal);
  const { code, said } = await command(empty, 'backup', ['--to', newFolder()]);
  expect(said).toContain(`There is no portal in DATA_DIR=${empty.data}.`);
  expect(code).toBe(1);
  expect(filesIn(empty.data)).toEqual([]);
});

test('a file missing in the portal does not prevent the backup of the others', async () => {
  const place = copyOf(portal);
  rmSync(path.join(place.data, filesIn(place.data).find((name) => name.startsWith('blobs/')) ?? ''));
  const { code, said } = await command(place, 'backup', ['--to', newFolder()]);
  expect(said).toContain('Files that are not in it, for the portal has lost their bytes: 1.');
  expect(code).toBe(1);
  const restore = await command(newPlace({}, portal), 'restore', [
    '--from',
    path.join(backups, String(latest)),
  ]);
  expect(restore.said).toContain('are missing');
  expect(restore.said).toContain('Restored and checked: 9 documents in 14 files');
});

test('a database that has not been migrated to files in parts can be backed up', async () => {
  const place = copyOf(portal);
  tamper(
    databaseOf(place),
    `pragma foreign_keys=off; delete from documents where blob_key in (select blob_key from blob_parts);
     delete from blobs where part_count > 0; drop table blob_parts; alter table blobs drop column part_count`,
  );
  const { code, said } = await command(place, 'backup', ['--to', newFolder()]);
  expect(said).toContain('Checked: every file is as it was written.');
  expect(code).toBe(0);
});

test('no other user of the machine can read a backup', async () => {
  const folder = newFolder();
  mkdirSync(folder);
  chmodSync(folder, 0o755); // permissions that somebody may have created it with
  await backUp(portal, folder);
  for (const file of filesIn(folder)) expect(statSync(path.join(folder, file)).mode & 0o077, file).toBe(0);
});
