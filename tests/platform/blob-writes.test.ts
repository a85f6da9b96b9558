import fs from 'node:fs';
import type fsPromises from 'node:fs/promises';
import { open, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, test, vi } from 'vitest';
import { fileStore } from '#platform/storage/blob-files.server.ts';
import { config } from '#platform/runtime/config.server.ts';

/* When blobs reach the disk: the calls of the file store, in their order. What is stored is in blob-files.test.ts. */

const root = path.join(config.dataDir, 'files');
const store = fileStore(root);

type Call = (...given: unknown[]) => unknown;
const watched = vi.hoisted(() => ({
  /** Called in place of a call, with what that one does. */
  instead: (_name: string, _given: readonly unknown[], real: () => unknown): unknown => real(),
}));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const names = ['open', 'writev', 'fdatasync', 'closeSync'] as const;
  const watching = names.map((name) => {
    const call = real[name] as Call;
    const other: Call = (...given) => watched.instead(name, given, () => call(...given));
    // with what util.promisify reads
    return [name, Object.defineProperties<Call>(other, Object.getOwnPropertyDescriptors(call))] as const;
  });
  return { ...real, ...Object.fromEntries(watching) };
});
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof fsPromises>();
  return { ...real, rename: vi.fn(real.rename), open: vi.fn(real.open) };
});

beforeEach(() => {
  watched.instead = (_name, _given, real) => real();
});

/** Notes the steps of storing a file. */
async function stepsOf(key: string, sizes: readonly number[]): Promise<string[]> {
  const steps: string[] = [];
  let isSynced = false;
  watched.instead = (name, given, real) => {
    if (name === 'open') isSynced = (Number(given[1]) & fs.constants.O_DSYNC) !== 0;
    steps.push(name === 'writev' && isSynced ? 'synced write' : name);
    return real();
  };
  const real = await vi.importActual<typeof fsPromises>('node:fs/promises');
  vi.mocked(rename).mockImplementation((...given) => {
    steps.push('rename');
    return real.rename(...given);
  });
  vi.mocked(open).mockImplementation(async (...given) => {
    const handle = await real.open(...given);
    handle.sync = () => {
      steps.push(`sync of ${path.relative(root, String(given[0])) || 'the root'}`);
      return Promise.resolve();
    };
    return handle;
  });
  await store.put(key, Readable.from(sizes.map((size) => Buffer.alloc(size, 7))));
  return steps;
}

const WRITE = 256 * 1024;
const ONE_WRITE = process.platform === 'linux' ? ['synced write'] : ['writev', 'fdatasync'];

test.each([
  ['nothing', [], ['open', 'fdatasync']],
  ['one small piece', [1000], ['open', ...ONE_WRITE]],
  ['small pieces', [60_000, 60_000, 5000], ['open', ...ONE_WRITE]],
  ['as much as one write', [WRITE], ['open', ...ONE_WRITE]],
  ['a little more', [WRITE, 1], ['open', 'writev', 'writev', 'fdatasync']],
  ['large pieces', [WRITE, WRITE, WRITE], ['open', 'writev', 'writev', 'writev', 'fdatasync']],
])(
  '%s is on the disk before it is renamed, and its folder is synced after that',
  async (_, sizes, before) => {
    const key = 'fd000000-0000-4000-8000-000000000001';
    await store.put(key, Readable.from([])); // the folder is there
    expect(await stepsOf(key, sizes)).toEqual([...before, 'closeSync', 'rename', 'sync of fd']);
    expect((await stat(path.join(root, 'fd', key))).size).toBe(sizes.reduce((sum, size) => sum + size, 0));
  },
);

test('a new folder is synced too, and the one in which it is', async () => {
  const steps = await stepsOf('fc000000-0000-4000-8000-000000000001', [1000]);
  expect(steps.filter((step) => /rename|sync of|close/.test(step)).toSorted()).toEqual([
    'closeSync',
    'rename',
    'rename',
    'sync of fc',
    'sync of the root',
  ]);
});

const SIZE = 200 * 1024;
const MOST = 8 * 1024 ** 2;

test('while many bytes wait for the disk, no more are read', async () => {
  const held: (() => unknown)[] = [];
  watched.instead = (name, _given, real) => (name === 'writev' ? held.push(real) : real());
  let read = 0;
  const content = async function* (): AsyncGenerator<Buffer> {
    read += SIZE;
    yield Buffer.alloc(SIZE, 7);
  };
  const stored: Promise<void>[] = [];
  for (let i = 0; i < 100; i += 1) {
    stored.push(store.put(`fb000000-0000-4000-8000-${String(i).padStart(12, '0')}`, content()));
    await store.freeSpace(); // after the same question of the upload
    await setImmediate();
  }
  expect(read).toBeGreaterThan(MOST);
  expect(read).toBeLessThan(MOST + 5 * SIZE);
  watched.instead = (_name, _given, real) => real();
  for (const write of held) write();
  await Promise.all(stored);
  expect(read).toBe(100 * SIZE);
});
