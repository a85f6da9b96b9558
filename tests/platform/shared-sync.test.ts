import { afterEach, expect, test, vi } from 'vitest';
import { SharedSync } from '#platform/storage/shared-sync.server.ts';

afterEach(() => vi.useRealTimers());

/** A sync whose runs end when the test says so. */
function disk() {
  const runs: PromiseWithResolvers<void>[] = [];
  const sync = new SharedSync(() => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  });
  return { runs, sync };
}
const nothing = (): Promise<void> => Promise.resolve();
/** Everything that can go on without the disk and without time has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function isOver(work: Promise<void>): Promise<boolean> {
  let over = false;
  const note = (): void => void (over = true);
  work.then(note, note);
  await settled();
  return over;
}

test('one alone is synced at once, and waits for that', async () => {
  const { runs, sync } = disk();
  const done = sync.after(nothing);
  expect(await isOver(done)).toBe(false);
  expect(runs).toHaveLength(1);
  runs[0]?.resolve();
  await done;
});

test('those who write at the same time share a sync that begins after the last of them', async () => {
  const { runs, sync } = disk();
  const writes = [1, 2, 3].map(() => Promise.withResolvers<void>());
  const all = Promise.all(writes.map(({ promise }) => sync.after(() => promise)));
  writes[0]?.resolve();
  writes[1]?.resolve();
  await settled();
  expect(runs, 'nothing is synced while the last one is writing').toHaveLength(0);
  writes[2]?.resolve();
  await settled();
  expect(runs).toHaveLength(1);
  runs[0]?.resolve();
  await all;
});

test('what is written while a sync runs waits for the next one', async () => {
  const { runs, sync } = disk();
  const first = sync.after(nothing);
  await settled();
  const second = sync.after(nothing);
  await settled();
  runs[0]?.resolve();
  await first;
  expect(await isOver(second)).toBe(false);
  expect(runs).toHaveLength(2);
  runs[1]?.resolve();
  await second;
});

test('nobody waits for one who writes for long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { runs, sync } = disk();
  const slow = Promise.withResolvers<void>();
  const last = sync.after(() => slow.promise);
  const first = sync.after(nothing);
  await settled();
  expect(runs).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(20);
  expect(runs).toHaveLength(1);
  runs[0]?.resolve();
  await first;
  expect(await isOver(last)).toBe(false);
  slow.resolve();
  await settled();
  runs[1]?.resolve();
  await last;
});

test('64 who have written do not wait for others', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { runs, sync } = disk();
  const slow = Promise.withResolvers<void>();
  const last = sync.after(() => slow.promise);
  const others = Promise.all(Array.from({ length: 64 }, () => sync.after(nothing)));
  await settled();
  expect(runs).toHaveLength(1);
  runs[0]?.resolve();
  await others;
  slow.resolve();
  await settled();
  runs[1]?.resolve();
  await last;
});

test('a failed sync fails all who share it, and not the next ones', async () => {
  const { runs, sync } = disk();
  const both = Promise.allSettled([sync.after(nothing), sync.after(nothing)]);
  await settled();
  runs[0]?.reject(new Error('EIO'));
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = sync.after(nothing);
  await settled();
  runs[1]?.resolve();
  await next;
});

test('others do not wait for one who could not write', async () => {
  const { runs, sync } = disk();
  const broken = Promise.withResolvers<void>();
  const both = Promise.allSettled([sync.after(nothing), sync.after(() => broken.promise)]);
  broken.reject(new Error('broken off'));
  await settled();
  runs[0]?.resolve();
  expect((await both).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(runs).toHaveLength(1);
});
