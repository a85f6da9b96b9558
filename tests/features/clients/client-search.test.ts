import { describe, expect, test } from 'vitest';
import { archiveClients, restoreClients } from '#features/clients/archiving.server.ts';
import { archivedClientsGrid, clientsGrid } from '#features/clients/clients-grid.server.ts';
import { createClient, updateClient } from '#features/clients/editing.server.ts';
import type { GridQuery } from '#features/grids/grids.ts';
import { readGrid } from '#features/grids/reading.server.ts';
import type { Actor } from '#features/people/people.ts';
import { makeCast, person } from '../../support/cast.ts';
import { storeManyClients } from '../../support/many-clients.ts';

/*
 * A firm with so many clients that rare texts are looked up in the index, and common ones in the list.
 */

const { firmOne, firmTwo, tom } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const mona = await person(firmOne, 'Mona Manager', 'mona@one.example', {
  role: 'manager',
  hasAllClients: false,
});
const COUNT = 2600;
const nameOf = (i: number): string => `Garden ${String(i).padStart(4, '0')} Ltd`;
await storeManyClients(
  firmOne,
  Array.from({ length: COUNT }, (_, i) => ({
    name: i === 2500 ? `Zürich "100%_Quinoa" ${i}` : nameOf(i),
    code: `C-${COUNT - i}`,
    kind: i % 500 === 3 ? ('individual' as const) : ('business' as const),
    tags: [...(i % 2 === 0 ? ['Payroll'] : []), ...(i % 650 === 7 ? ['Season'] : [])],
    responsible: i % 1000 === 7 ? mona.contactId : olga.contactId,
  })),
);
await storeManyClients(firmTwo, [
  { name: 'Quinoa Foreign', code: 'Q', kind: 'business', tags: ['Season'], responsible: tom.contactId },
]);

const EMPTY: GridQuery = {
  searchTerm: '',
  fields: {},
  filter: undefined,
  orderBy: [],
  groupBy: [],
  path: [],
  after: undefined,
};
const read = (actor: Actor, query: Partial<GridQuery>, grid = clientsGrid) =>
  readGrid(grid, actor, { ...EMPTY, ...query });
const found = async (actor: Actor, query: Partial<GridQuery>, grid = clientsGrid) =>
  (await read(actor, query, grid)).rows.map(({ name }) => name);
const search = (searchTerm: string) => found(olga, { searchTerm });

describe('the clients of a large firm', () => {
  test('a search finds a part of a name, number or tag, rare or common, and takes punctuation literally', async () => {
    expect(await search('URICH')).toEqual([]);
    expect(await search('ürich')).toEqual(['Zürich "100%_Quinoa" 2500']);
    for (const term of ['"100%', '%_q', '_QUINOA"', 'quinoa', 'a" 2500', '"'])
      expect(await search(term), term).toEqual(['Zürich "100%_Quinoa" 2500']);
    expect(await search('c-2533')).toEqual([nameOf(67)]);
    expect(await search('easo')).toEqual([7, 657, 1307, 1957].map(nameOf));
    expect(await search('garden 2599')).toEqual([nameOf(2599)]);
    expect(await search('nowhere')).toEqual([]);
    expect((await search('ltd')).slice(0, 2)).toEqual([nameOf(0), nameOf(1)]);
  });

  test('a search counts up to a thousand, and its pages go on to the end', async () => {
    const { total, next } = await read(olga, { searchTerm: 'garden' });
    expect(total).toBe(1000);
    expect(await found(olga, { searchTerm: 'garden', after: next })).toContain(nameOf(25));
    expect((await read(olga, {})).total).toBe(COUNT + 2);
  });

  test('the lists of a tag and of a person are in the order that was chosen, and narrow each other', async () => {
    const season = [7, 657, 1307, 1957].map(nameOf);
    expect(await found(olga, { fields: { tag: 'season' } })).toEqual(season);
    // C-1293, C-1943, C-2593, C-643
    expect(await found(olga, { fields: { tag: 'season' }, orderBy: [{ by: 'code', dir: 'asc' }] })).toEqual(
      [1307, 657, 7, 1957].map(nameOf),
    );
    const responsible = mona.contactId;
    expect(await found(olga, { fields: { responsible } })).toEqual([7, 1007, 2007].map(nameOf));
    expect(await found(olga, { fields: { responsible, tag: 'Season' } })).toEqual([nameOf(7)]);
    expect(await found(olga, { fields: { responsible, tag: 'Season', kind: 'individual' } })).toEqual([]);
    expect(await found(olga, { fields: { tag: 'payroll' }, searchTerm: 'garden 2598' })).toEqual([
      nameOf(2598),
    ]);
    expect(await found(olga, { fields: { responsible }, searchTerm: 'garden 20' })).toEqual([nameOf(2007)]);
    expect((await read(olga, { fields: { tag: 'payroll' } })).total).toBe(COUNT / 2);
  });

  test('staff with assigned clients find only these, and other firms find none of them', async () => {
    expect(await found(mona, { searchTerm: 'season' })).toEqual([nameOf(7)]);
    expect(await found(mona, { fields: { tag: 'payroll' } })).toEqual([]);
    expect(await found(mona, { fields: { responsible: olga.contactId } })).toEqual([]);
    expect(await found(mona, {})).toEqual([7, 1007, 2007].map(nameOf));
    expect(await found(tom, { fields: { responsible: mona.contactId } })).toEqual([]);
    expect(await found(tom, { fields: { tag: 'season' } })).toEqual(['Quinoa Foreign']);
    expect(await found(tom, { searchTerm: 'season' })).toEqual(['Quinoa Foreign']);
  });

  test('a change of name, number or tags is found at once, and an archived client only in its list', async () => {
    const id = await createClient(olga, {
      name: 'Xylophone Works',
      doingBusinessAs: 'Klangholz',
      tags: ['Season'],
      responsible: [mona.contactId],
      taxIds: [{ kind: 'cnpj', number: '11.222.333/0001-81' }],
    });
    for (const term of ['ophone', 'klang', '11222333000181'])
      expect(await search(term), term).toEqual(['Xylophone Works']);
    await updateClient(olga, id, { name: 'Aardvark Works', code: 'XX-1', tags: ['Season', 'Yoga'] });
    expect(await search('ophone')).toEqual([]);
    for (const term of ['aardv', 'xx-1', 'yoga', 'klang'])
      expect(await search(term), term).toEqual(['Aardvark Works']);
    expect((await found(olga, { fields: { tag: 'season' } }))[0]).toBe('Aardvark Works');
    expect((await found(olga, { fields: { responsible: mona.contactId } }))[0]).toBe('Aardvark Works');
    await archiveClients(olga, [id]);
    for (const query of [
      { searchTerm: 'aardv' },
      { fields: { tag: 'yoga' } },
      { fields: { responsible: mona.contactId, tag: 'yoga' } },
    ]) {
      expect(await found(olga, query)).toEqual([]);
      expect(await found(olga, query, archivedClientsGrid)).toEqual(['Aardvark Works']);
    }
    await restoreClients(olga, [id]);
    expect(await found(olga, { fields: { tag: 'yoga' } })).toEqual(['Aardvark Works']);
  });
});
