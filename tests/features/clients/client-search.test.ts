import { describe, expect, test } from 'vitest';
import { archiveClients, restoreClients } from '#features/clients/clients/archiving.server.ts';
import { findClients } from '#features/clients/clients/client-search.server.ts';
import { archivedClientsGrid, clientsGrid } from '#features/clients/clients/clients-grid.server.ts';
import { clientQuery } from '#features/clients/clients/clients.ts';
import { linkContact, listClients } from '#features/clients/clients/clients.server.ts';
import { createClient, updateClient } from '#features/clients/clients/editing.server.ts';
import { peopleGrid } from '#features/clients/directory/people-grid.server.ts';
import type { GridQuery } from '#features/base/grids/grids.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import { prepareInvitation } from '#features/identity/invitations/invitations.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { makeCast, person } from '../../support/cast.ts';
import { storeManyClients } from '../../support/many-clients.ts';
import { NO_QUERY } from '../../support/grid-query.ts';

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
    code: i === 2501 ? 'C-zx' : `C-${COUNT - i}`,
    kind: i % 500 === 3 ? ('individual' as const) : ('business' as const),
    tags: [...(i % 2 === 0 ? ['Payroll'] : []), ...(i % 650 === 7 ? ['Season'] : [])],
    responsible: i % 1000 === 7 ? mona.contactId : olga.contactId,
  })),
);
await storeManyClients(firmTwo, [
  { name: 'Quinoa Foreign', code: 'Q', kind: 'business', tags: ['Season'], responsible: tom.contactId },
]);

const read = (actor: Actor, query: Partial<GridQuery>, grid = clientsGrid) =>
  readGrid(grid, actor, { ...NO_QUERY, ...query });
const found = async (actor: Actor, query: Partial<GridQuery>, grid = clientsGrid) =>
  (await read(actor, query, grid)).rows.map(({ name }) => name);
const search = (searchTerm: string) => found(olga, { searchTerm });

const peopleWith = (actor: Actor, clientName: string) =>
  readGrid(peopleGrid, actor, { ...NO_QUERY, fields: { clientName } });
const namesWith = async (actor: Actor, clientName: string) =>
  (await peopleWith(actor, clientName)).rows.map(({ fullName }) => fullName);

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
    // two letters in a text, at its end, and nowhere
    expect(await search('qu')).toEqual(['Zürich "100%_Quinoa" 2500']);
    expect(await search('ZX')).toEqual([nameOf(2501)]);
    expect(await search('xz')).toEqual([]);
    expect((await search('ltd')).slice(0, 2)).toEqual([nameOf(0), nameOf(1)]);
  });

  test('a list counts up to a thousand, and its pages go on to the end', async () => {
    const { total, isCut, next } = await read(olga, { searchTerm: 'garden' });
    expect([total, isCut]).toEqual([1000, true]);
    expect(await found(olga, { searchTerm: 'garden', after: next })).toContain(nameOf(25));
    let page = await read(olga, {});
    expect([page.total, page.isCut]).toEqual([1000, true]);
    let rows = page.rows.length;
    for (; page.next !== undefined; rows += page.rows.length) page = await read(olga, { after: page.next });
    expect(rows).toBe(COUNT + 2);
    expect(await read(mona, {})).toMatchObject({ total: 3, isCut: false });
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
    expect((await read(olga, { fields: { tag: 'payroll' } })).total).toBe(1000);
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

  test('people are found by clients of theirs, whether few or many clients have the text', async () => {
    expect(await namesWith(olga, 'garden 2007')).toEqual(['Mona Manager']);
    expect(await namesWith(olga, 'c-zx')).toEqual(['Olga Owner']);
    expect(await namesWith(olga, 'zx')).toEqual(['Olga Owner']);
    expect(await namesWith(olga, 'ltd')).toEqual(expect.arrayContaining(['Mona Manager', 'Olga Owner']));
    expect(await namesWith(olga, 'nowhere')).toEqual([]);
    expect(await namesWith(mona, 'garden 2007'), 'her own client').toEqual(['Mona Manager']);
    expect(await namesWith(mona, 'garden 2006'), 'a client of others').toEqual([]);
    expect(await namesWith(tom, 'ltd'), 'another firm').not.toContain('Mona Manager');
  });

  test('invited people are found by the clients that their invitation names', async () => {
    const { clients } = await listClients(olga, clientQuery.parse({ searchTerm: 'garden 2007' }));
    await prepareInvitation(olga, {
      emailAddress: 'ivy@new.example',
      firstName: 'Ivy',
      lastName: 'Invited',
      language: 'en-us',
      clientIds: clients.map(({ id }) => id),
    });
    expect(await namesWith(olga, 'garden 2007')).toEqual(['Ivy Invited', 'Mona Manager']);
    expect(await namesWith(olga, 'ltd')).toContain('Ivy Invited');
    expect(await namesWith(olga, 'garden 2006')).toEqual(['Olga Owner']);
  });

  test('of a person with many clients, a thousand are counted and one is named', async () => {
    const { rows } = await peopleWith(olga, 'c-zx');
    expect(rows.map(({ clients: { count } }) => count)).toEqual([1000]);
    expect(rows[0]?.clients.first).toMatch(/^Garden|^Zürich/);
  });

  test('a contact finds their clients by name and number, and not by the tags of the firm', async () => {
    const cora = await person(firmOne, 'Cora Contact', 'cora@one.example');
    const [season] = await findClients(olga, 'garden 0657'); // tagged
    await linkContact(season?.id ?? '', cora.contactId);
    expect(await findClients(cora, 'garden')).toEqual([season]);
    expect(await findClients(cora, 'c-1943')).toEqual([season]);
    expect(await findClients(cora, 'season')).toEqual([]);
    expect(await findClients(tom, 'garden'), 'another firm').toEqual([]);
    expect(await findClients(olga, ' ')).toEqual([]);
  });
});
