import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type fsPromises from 'node:fs/promises';
import { mkdir, readdir, stat, statfs, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { fileStore } from '#platform/storage/blob-files.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';

const root = path.join(config.dataDir, 'files');
const store = fileStore(root);
const LONG_AGO = new Date('2020-01-01');
const KEY = 'ff000000-0000-4000-8000-000000000001';
const OTHER = 'ff000000-0000-4000-8000-000000000002';
const placeOf = (key: string): string => path.join(root, key.slice(0, 2), key);

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof fsPromises>();
  return { ...real, statfs: vi.fn(real.statfs) };
});

const files = async (): Promise<string[]> =>
  (await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);

test('a new blob store is empty', async () => {
  expect(await Array.fromAsync(fileStore(path.join(root, 'unused')).list())).toEqual([]);
});

test("stored files are readable by the portal's user only", async () => {
  await store.put(KEY, Readable.from([Buffer.from('salary')]));
  expect((await stat(placeOf(KEY))).mode & 0o777).toBe(0o600);
  expect((await stat(path.dirname(placeOf(KEY)))).mode & 0o777).toBe(0o700);
});

test('an interrupted blob is listed as unfinished and can be discarded', async () => {
  const part = path.join(root, 'incoming', 'left-by-a-crash');
  await mkdir(path.dirname(part), { recursive: true });
  await writeFile(part, 'half a file');
  await utimes(part, LONG_AGO, LONG_AGO);
  expect(await Array.fromAsync(store.list())).toContainEqual({
    key: 'left-by-a-crash',
    size: 11,
    modifiedAt: LONG_AGO.getTime(),
    unfinished: true,
  });
  await store.abandon('left-by-a-crash');
  expect(await files()).not.toContain('left-by-a-crash');
});

test('listing blobs continues when a file is removed meanwhile', async () => {
  for (const key of [KEY, OTHER]) {
    await store.remove(key);
    await store.put(key, Readable.from([Buffer.from('x')]));
  }
  const seen: string[] = [];
  for await (const { key } of store.list()) {
    seen.push(key);
    await store.remove(key === KEY ? OTHER : KEY);
  }
  expect(seen).toHaveLength(1);
});

/** Writes in a process that can write at most 64 KiB to a file, as on a full disk. */
async function onAFullDisk(what: string): Promise<string> {
  const script = `
    process.on('SIGXFSZ', () => undefined);
    const { Readable } = await import('node:stream');
    const { fileStore } = await import(${JSON.stringify(path.join(import.meta.dirname, '../../src/platform/storage/blob-files.server.ts'))});
    const answer = await fileStore(process.env.ROOT).put('${OTHER}', Readable.from(${what})).then(() => 'told that it was stored', (error) => error.code);
    process.stdout.write(answer);`;
  const { stdout } = await promisify(execFile)(
    'bash',
    ['-c', 'ulimit -f 64; exec "$0" --input-type=module -e "$1"', process.execPath, script],
    { env: { ...process.env, ROOT: path.join(root, 'full') } },
  );
  return stdout;
}

test.each(['[Buffer.alloc(100_000, 7)]', 'Array.from({ length: 40 }, () => Buffer.alloc(50_000, 7))'])(
  'when the disk becomes full in the middle of %s, it is not acknowledged, and nothing is left',
  async (what) => {
    expect(await onAFullDisk(what)).toBe('QUOTA');
    expect(
      (await readdir(path.join(root, 'full'), { recursive: true, withFileTypes: true })).filter((entry) =>
        entry.isFile(),
      ),
    ).toEqual([]);
  },
);

const GIGABYTE = 1024 ** 3;

test.each([
  ['the last gigabyte of a large disk', 1000 * GIGABYTE, GIGABYTE - 4096, 'QUOTA'],
  [
    'a little more than an upload writes between two looks',
    1000 * GIGABYTE,
    GIGABYTE + 1024 * 1024,
    undefined,
  ],
  ['the last twentieth of a small disk', GIGABYTE, GIGABYTE / 20 - 4096, 'QUOTA'],
  ['more than that of a small disk', GIGABYTE, GIGABYTE / 16, undefined],
])('space is reserved for the database when the free space is %s', async (_, blocks, free, code) => {
  await store.remove(KEY);
  const bsize = 4096;
  vi.mocked(statfs).mockResolvedValue({ bsize, blocks: blocks / bsize, bavail: free / bsize } as never);
  const fresh = fileStore(root); // has not read the free space yet
  const error = await fresh.put(KEY, Readable.from([Buffer.from('x')])).catch((reason: unknown) => reason);
  vi.mocked(statfs).mockReset();
  expect(refusal(error)?.code).toBe(code);
});

test('an upload is not refused for a lack of space that is over', async () => {
  await store.remove(KEY);
  vi.mocked(statfs).mockResolvedValueOnce({ bsize: 1, blocks: GIGABYTE, bavail: 0 } as never);
  await fileStore(root).put(KEY, Readable.from([Buffer.from('x')]));
  expect(await files()).toContain(KEY);
});

test('an upload goes on after the free space could not be read once', async () => {
  await store.remove(KEY);
  const fresh = fileStore(root);
  vi.mocked(statfs).mockRejectedValueOnce(new Error('EIO'));
  await expect(fresh.put(KEY, Readable.from([Buffer.from('x')]))).rejects.toThrow('EIO');
  await fresh.put(KEY, Readable.from([Buffer.from('x')]));
  expect(await files()).toContain(KEY);
});

test('many small uploads read the free space together, and are refused once they have used it', async () => {
  const start = 40 * 1024 * 1024;
  let used = 0;
  let looks = 0;
  vi.mocked(statfs).mockImplementation(() => {
    looks += 1;
    return Promise.resolve({ bsize: 1, blocks: GIGABYTE, bavail: GIGABYTE / 20 + start - used } as never);
  });
  const small = fileStore(root);
  const size = 100 * 1024;
  const results: unknown[] = [];
  for (let i = 0; i < 600; i += 1) {
    const put = small.put(KEY, Readable.from([Buffer.alloc(size)]));
    results.push(await put.then(() => (used += size)).catch((error: unknown) => refusal(error)?.code));
    await small.remove(KEY);
  }
  expect(results.at(-1)).toBe('QUOTA');
  expect(used).toBeLessThanOrEqual(start);
  expect(used).toBeGreaterThan(start - 3 * 1024 * 1024);
  expect(looks).toBeLessThan(500);
});

test('an upload that reaches the reserved last gigabyte is refused while it is received', async () => {
  await store.remove(KEY);
  let looks = 0;
  vi.mocked(statfs).mockImplementation(() =>
    Promise.resolve({
      bsize: 1,
      blocks: 1000 * GIGABYTE,
      bavail: (looks += 1) < 3 ? 2 * GIGABYTE : 0,
    } as never),
  );
  let given = 0;
  const endless = async function* (): AsyncGenerator<Buffer> {
    for (;;) {
      given += 1024 * 1024;
      yield randomBytes(1024 * 1024);
    }
  };
  await expect(fileStore(root).put(KEY, endless())).rejects.toThrow('QUOTA');
  expect(given).toBeLessThan(40 * 1024 * 1024);
  expect(await files()).not.toContain(KEY);
});
