import { expect, test } from 'vitest';
import { db, migrate } from '#platform/database/database.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import '../../src/app.server.ts';

await migrate();
const COUNT = 7;
for (let index = 0; index < COUNT; index += 1)
  await db()
    .insertInto('limits')
    .values({ limit_key: `key ${index}`, used: Math.floor(index / 3), resets_at: 1 })
    .execute();

const pagesOf = (size: number) =>
  rowPages(
    ['limits.used', 'limits.limit_key'],
    (page) => db().selectFrom('limits').selectAll().where('resets_at', '=', 1).$call(page).execute(),
    { size },
  );

test.each([1, 2, 3, 7, 8])('rows with equal values are each read once, in pages of %i', async (size) => {
  const keys = await Array.fromAsync(eachRow(pagesOf(size), (row) => row.limit_key));
  expect(keys).toEqual(Array.from({ length: COUNT }, (_, index) => `key ${index}`));
  for await (const page of pagesOf(size)) expect(page.length).toBeLessThanOrEqual(size);
});

test('a table without rows has no page', async () => {
  const pages = rowPages(['limits.limit_key'], (page) =>
    db().selectFrom('limits').selectAll().where('resets_at', '=', 2).$call(page).execute(),
  );
  expect(await Array.fromAsync(pages)).toEqual([]);
});
