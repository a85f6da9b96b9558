import { expect, test } from 'vitest';
import { inGroups } from '#platform/storage/group-commit.server.ts';

const ready =
  <T>(item: T) =>
  (): Promise<T> =>
    Promise.resolve(item);

test('items that are prepared at once are worked on together, in groups of at most the size', async () => {
  const groups: number[][] = [];
  const add = inGroups(3, (items: readonly number[]) => {
    groups.push([...items]);
    return Promise.resolve(items.map((item) => item * 10));
  });
  expect(await Promise.all([1, 2, 3, 4].map((item) => add(ready(item))))).toEqual([10, 20, 30, 40]);
  expect(groups).toEqual([[1, 2, 3], [4]]);
});

test('an item that is refused fails alone', async () => {
  const add = inGroups(4, (items: readonly number[]) =>
    items.includes(2) ? Promise.reject(new Error('not two')) : Promise.resolve(items),
  );
  const results = await Promise.allSettled([1, 2, 3].map((item) => add(ready(item))));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('items do not wait for one that could not be prepared', async () => {
  const add = inGroups(4, (items: readonly number[]) => Promise.resolve(items));
  const broken = Promise.withResolvers<number>();
  const results = Promise.allSettled([add(ready(1)), add(() => broken.promise)]);
  broken.reject(new Error('broken off'));
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});
