import { expect, test } from 'vitest';
import { inTransaction } from '#platform/database/database.server.ts';
import { sharedRead, withSharedReads } from '#platform/database/shared-reads.server.ts';

function countedRead() {
  const calls: string[] = [];
  const read = sharedRead(
    async (key: string) => {
      const count = calls.push(key);
      await Promise.resolve();
      return `${key} ${count}`;
    },
    (key) => key,
  );
  return { calls, read };
}

test('within a request the same is read once, also by those who ask at the same time', async () => {
  const { calls, read } = countedRead();
  const results = await withSharedReads(() => Promise.all([read('a'), read('b'), read('a')]));
  expect(results).toEqual(['a 1', 'b 2', 'a 1']);
  expect(calls).toEqual(['a', 'b']);
});

test('another request, and what runs outside of one, reads anew', async () => {
  const { calls, read } = countedRead();
  await withSharedReads(() => read('a'));
  await withSharedReads(() => read('a'));
  await read('a');
  await read('a');
  expect(calls).toHaveLength(4);
});

test('inside a transaction nothing is shared, so that a right is asked for again', async () => {
  const { calls, read } = countedRead();
  await withSharedReads(async () => {
    await read('a');
    await inTransaction(async () => void (await read('a')));
    await read('a');
  });
  expect(calls).toHaveLength(2);
});

test('what another read has found is not read again in the same request', async () => {
  const { calls, read } = countedRead();
  const result = await withSharedReads(() => {
    read.found('found', 'a');
    return read('a');
  });
  expect([result, calls]).toEqual(['found', []]);
  read.found('found', 'a');
  expect(await read('a')).toBe('a 1');
});
