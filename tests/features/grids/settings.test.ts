import { describe, expect, test } from 'vitest';
import {
  removeFilter,
  saveFilter,
  savedFilters,
  shownColumns,
  showColumns,
} from '#features/base/grids/settings.server.ts';
import { peopleGrid as grid } from '#features/clients/directory/people-grid.server.ts';
import { db } from '#platform/database/database.server.ts';
import { makeCast } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { sam, tom } = await makeCast();

describe('the columns of a grid', () => {
  test('a person keeps the columns that they show, for themselves alone, and always sees the name of a row', async () => {
    const usual = ['name', 'role', 'clients', 'state', 'lastSeenAt'];
    expect(await shownColumns(grid, sam)).toEqual(usual);
    await showColumns(grid, sam, ['email', 'no such column', '__proto__']);
    expect(await shownColumns(grid, sam)).toEqual(['name', 'email']);
    await showColumns(grid, sam, []);
    expect(await shownColumns(grid, sam)).toEqual(['name']);
    expect(await shownColumns(grid, tom)).toEqual(usual);
  });
});

describe('the saved filters of a grid', () => {
  const saved = async (actor = sam) =>
    (await savedFilters(grid, actor)).map(({ name, query }) => [name, query]);

  test('a person saves a filter under a name, and saving it again replaces it', async () => {
    await saveFilter(grid, sam, { name: 'Never here', query: '?searchTerm=olivia' });
    await saveFilter(grid, sam, { name: 'Bakeries', query: '?searchTerm=bak' });
    await saveFilter(grid, sam, { name: 'Never here', query: '?searchTerm=ana' });
    expect((await saved()).toSorted()).toEqual([
      ['Bakeries', '?searchTerm=bak'],
      ['Never here', '?searchTerm=ana'],
    ]);
    expect(await saved(tom)).toEqual([]);
    const rows = JSON.stringify(await db().selectFrom('grid_filters').selectAll().execute());
    expect([rows.includes('olivia'), rows.includes('Bakeries')], 'encrypted').toEqual([false, false]);
  });

  test('a person cannot remove the filter of someone else', async () => {
    const [filter] = await savedFilters(grid, sam);
    await expect(removeFilter(grid, tom, filter?.id ?? '')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await removeFilter(grid, sam, filter?.id ?? '');
    expect(await saved()).toHaveLength(1);
  });

  test('a person saves at most 20 filters for a list', async () => {
    for (let count = await saved().then(({ length }) => length); count < 20; count += 1)
      await saveFilter(grid, sam, { name: `Filter ${count}`, query: '' });
    await expect(saveFilter(grid, sam, { name: 'One more', query: '' })).rejects.toMatchObject({
      code: 'TOO_MANY',
    });
    await saveFilter(grid, sam, { name: 'Filter 19', query: '?searchTerm=bakery' });
    expect(await saved()).toContainEqual(['Filter 19', '?searchTerm=bakery']);
  });
});
