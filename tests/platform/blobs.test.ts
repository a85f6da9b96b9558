import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { putBlob, readBlob, removeBlob, type StoredBlob, sweepBlobs } from '#platform/blobs.server.ts';
import { HOUR, now } from '#platform/clock.server.ts';
import { config } from '#platform/config.server.ts';
import { refusal } from '#platform/errors.server.ts';

const root = path.join(config.dataDir, 'blobs');
const MOST = 1_000_000;
const LONG_AGO = new Date('2020-01-01');

/** A source that gives the bytes in pieces of these sizes, over and over. */
function* pieces(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let at = 0, i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
const source = (bytes: Buffer, ...sizes: number[]): Readable => Readable.from(pieces(bytes, sizes.length > 0 ? sizes : [65_536]));
const stored = (key: string): Promise<Buffer> => buffer(readBlob(key));
const placeOf = (key: string): string => path.join(root, key.slice(0, 2), key);

/** Every file in the store. */
const files = async (): Promise<string[]> =>
  (await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])).filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));

test.each([
  ['nothing', 0, [1]],
  ['one byte', 1, [1]],
  ['one byte less than what is looked at', 4099, [4099]],
  ['exactly what is looked at', 4100, [1000]],
  ['one byte more', 4101, [4100, 1]],
  ['a file byte by byte', 5000, [1]],
  ['a file in pieces of all sizes', 300_000, [1, 7, 65_536, 3, 4096, 100_000]],
  ['the largest file that is allowed', MOST, [65_536]],
])('%s comes back byte for byte, with its size, SHA-256 and CRC-32', async (_, size, sizes) => {
  const bytes = randomBytes(size);
  const blob = await putBlob(source(bytes, ...sizes), MOST);
  expect(blob).toEqual({ key: blob.key, size, sha256: createHash('sha256').update(bytes).digest('hex'), crc32: crc32(bytes) });
  expect(await stored(blob.key)).toEqual(bytes);
});

test('two files with the same content are two files', async () => {
  const [a, b] = await Promise.all([putBlob(source(Buffer.from('same')), MOST), putBlob(source(Buffer.from('same')), MOST)]);
  expect(a.key).not.toBe(b.key);
  await removeBlob(a.key);
  expect(await stored(b.key)).toEqual(Buffer.from('same'));
});

test('what is stored can be read by the portal alone', async () => {
  const { key } = await putBlob(source(Buffer.from('salary')), MOST);
  expect((await stat(placeOf(key))).mode & 0o777).toBe(0o600);
  expect((await stat(path.dirname(placeOf(key)))).mode & 0o777).toBe(0o700);
});

test('a file that is too large is refused as such, and nothing of it stays', async () => {
  const before = await files();
  const error = await putBlob(source(randomBytes(MOST + 1)), MOST).catch((reason: unknown) => reason);
  expect(refusal(error)).toMatchObject({ code: 'TOO_LARGE', status: 413, details: { most: MOST } });
  expect(await files()).toEqual(before);
});

test('a file without an end is refused when it is too large, not later', async () => {
  let given = 0;
  const endless = Readable.from(
    (function* () {
      for (;;) {
        given += 65_536;
        yield Buffer.alloc(65_536);
      }
    })(),
  );
  await expect(putBlob(endless, MOST)).rejects.toThrow('TOO_LARGE');
  expect(given).toBeLessThan(MOST + 40 * 65_536);
  expect(endless.destroyed, 'the rest of the stream is its owner’s, who may have to read on').toBe(false);
  endless.destroy();
});

test.each([0, 1, 5000, 500_000])('an upload that breaks off after %i bytes leaves nothing behind', async (size) => {
  const before = await files();
  const broken = Readable.from(
    (function* () {
      if (size > 0) yield randomBytes(size);
      throw new Error('the connection was lost');
    })(),
  );
  await expect(putBlob(broken, MOST)).rejects.toThrow('the connection was lost');
  expect(await files()).toEqual(before);
});

test('an upload whose sender goes away leaves nothing behind', async () => {
  const before = await files();
  const sender = new Readable({ read() {} });
  sender.push(randomBytes(10_000));
  const storing = putBlob(sender, MOST);
  sender.destroy();
  await expect(storing).rejects.toThrow();
  expect(await files()).toEqual(before);
});

test.each([
  ['a short file', 10],
  ['a file as long as what is looked at', 4100],
  ['a long file', 500_000],
])('%s that does not pass inspection leaves nothing behind', async (_, size) => {
  const before = await files();
  const refuse = (): never => {
    throw new Error('a program');
  };
  await expect(putBlob(source(randomBytes(size), 100), MOST, refuse)).rejects.toThrow('a program');
  expect(await files()).toEqual(before);
});

test.each([
  [0, [1]],
  [10, [1]],
  [4099, [50]],
  [4100, [41]],
  [10_000, [10_000]],
  [10_000, [1, 4098, 3]],
])('of %i bytes in pieces of %j the first 4,100 are inspected, once', async (size, sizes) => {
  const bytes = randomBytes(size);
  const seen: Buffer[] = [];
  await putBlob(source(bytes, ...sizes), MOST, (head) => void seen.push(Buffer.from(head)));
  expect(seen).toEqual([bytes.subarray(0, 4100)]);
});

test('a part of a file is exactly that part', async () => {
  const bytes = randomBytes(200_000);
  const { key } = await putBlob(source(bytes), MOST);
  for (const [start, end] of [
    [0, 0],
    [0, 199_999],
    [199_999, 199_999],
    [65_535, 65_536],
    [1000, 150_000],
  ] as const)
    expect(await buffer(readBlob(key, { start, end }))).toEqual(bytes.subarray(start, end + 1));
});

test.each([
  '',
  '..',
  '../../portal.db',
  '/etc/passwd',
  'incoming/x',
  'a'.repeat(35),
  '../'.repeat(12),
  'ABCDEF00-0000-4000-8000-000000000000',
  '00000000-0000-4000-8000-000000000000\n',
])('%j is no key to the store', async (key) => {
  expect(() => readBlob(key)).toThrow('not a blob key');
  await expect(removeBlob(key)).rejects.toThrow('not a blob key');
});

test('removing what is gone already is no fault', async () => {
  const { key } = await putBlob(source(Buffer.from('x')), MOST);
  await removeBlob(key);
  await removeBlob(key);
  await expect(stored(key)).rejects.toThrow('ENOENT');
});

test('when the disk is full in the middle of a file, nobody is told that it was stored', async () => {
  // The operating system lets the process write 64 KiB to a file and cuts what goes beyond, as a full disk does.
  const run = promisify(execFile);
  const script = `
    process.on('SIGXFSZ', () => undefined);
    const { Readable } = await import('node:stream');
    const { putBlob, readBlob } = await import(${JSON.stringify(path.join(import.meta.dirname, '../../src/platform/blobs.server.ts'))});
    const { buffer } = await import('node:stream/consumers');
    const answer = await putBlob(Readable.from([Buffer.alloc(100_000, 7)]), 1_000_000).then(async ({ key, size }) => 'told ' + size + ', kept ' + (await buffer(readBlob(key))).length, () => 'refused');
    process.stdout.write(answer);`;
  const { stdout } = await run('bash', ['-c', 'ulimit -f 64; exec "$0" --input-type=module -e "$1"', process.execPath, script], {
    env: { ...process.env, DATA_DIR: `${config.dataDir}-full` },
  });
  expect(stdout).toBe('refused');
});

async function grownOld(blob: StoredBlob): Promise<string> {
  await utimes(placeOf(blob.key), LONG_AGO, LONG_AGO);
  return blob.key;
}

test('the sweep removes what nobody knows and keeps every document', async () => {
  const known = await grownOld(await putBlob(source(Buffer.from('a document')), MOST));
  const orphan = await grownOld(await putBlob(source(Buffer.from('an upload whose row was never written')), MOST));
  const fresh = await putBlob(source(Buffer.from('an upload whose row is about to be written')), MOST);
  await mkdir(path.join(root, 'incoming'), { recursive: true });
  const part = path.join(root, 'incoming', 'left-by-a-crash');
  await writeFile(part, 'half a file');
  await utimes(part, LONG_AGO, LONG_AGO);
  const underWay = path.join(root, 'incoming', 'under-way');
  await writeFile(underWay, 'half a file');

  const asked: string[] = [];
  const removed = await sweepBlobs(now() - HOUR, (key) => {
    asked.push(key);
    return Promise.resolve(key === known);
  });

  expect(removed).toBe(2);
  expect(asked.toSorted()).toEqual([known, orphan].toSorted());
  expect(await stored(known)).toEqual(Buffer.from('a document'));
  expect(await stored(fresh.key)).toHaveLength(fresh.size);
  expect(fs.existsSync(placeOf(orphan))).toBe(false);
  expect(fs.existsSync(part)).toBe(false);
  expect(fs.existsSync(underWay)).toBe(true);
});

test('the sweep goes on when a file is removed while it looks', async () => {
  const folder = path.join(root, 'ff');
  await mkdir(folder, { recursive: true });
  const keys = ['ff000000-0000-4000-8000-000000000001', 'ff000000-0000-4000-8000-000000000002'];
  for (const key of keys) {
    await writeFile(placeOf(key), 'x');
    await utimes(placeOf(key), LONG_AGO, LONG_AGO);
  }
  const asked = new Set<string>();
  await sweepBlobs(now() - HOUR, async (key) => {
    asked.add(key);
    if (keys.includes(key)) for (const other of keys) if (!asked.has(other)) await removeBlob(other);
    return !keys.includes(key);
  });
  expect(keys.filter((key) => fs.existsSync(placeOf(key)))).toEqual([]);
});

test('the sweep of a store that nobody has used yet finds nothing', async () => {
  const script = `
    const { sweepBlobs } = await import(${JSON.stringify(path.join(import.meta.dirname, '../../src/platform/blobs.server.ts'))});
    process.stdout.write(String(await sweepBlobs(Date.now(), async () => false)));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env: { ...process.env, DATA_DIR: `${config.dataDir}-new` } });
  expect(stdout).toBe('0');
});
