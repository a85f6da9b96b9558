import { expect, test } from 'vitest';
import { linkContact } from '#features/clients/clients/clients.server.ts';
import { peopleGrid } from '#features/clients/directory/people-grid.server.ts';
import type { GridQuery } from '#features/base/grids/grids.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import { prepareInvitation } from '#features/identity/invitations/invitations.server.ts';
import { changeRights } from '#features/base/people/rights.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { storeManyContacts } from '../../support/many-clients.ts';
import { NO_QUERY } from '../../support/grid-query.ts';

/*
 * A firm with so many people that rare texts are looked up in the index, and common ones in the list.
 */

const { firmOne, firmTwo, clientA, clientB } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const zoe = await person(firmOne, 'Zoë O’Hara-Quist', 'zoe@one.example');
await linkContact(clientB, zoe.contactId);
const COUNT = 2600;
const nameOf = (i: number): string => `Garden Person ${String(i).padStart(4, '0')}`;
await storeManyContacts(
  firmOne,
  Array.from({ length: COUNT }, (_, i) => ({
    clientId: clientA,
    fullName: nameOf(i),
    email: `person-${i}@garden.example`,
  })),
);
await person(firmTwo, 'Xaver Quist', 'xaver@two.example');

const page = (query: Partial<GridQuery>) => readGrid(peopleGrid, olga, { ...NO_QUERY, ...query });
const found = async (searchTerm: string, fields: GridQuery['fields'] = {}) =>
  (await page({ searchTerm, fields })).rows.map(({ fullName }) => fullName);

test('people are found by any part of their name, rare or common, in capitals or not', async () => {
  expect(await found('person 2599')).toEqual([nameOf(2599)]);
  expect(await found('o’hara-q')).toEqual(['Zoë O’Hara-Quist']);
  expect(await found('ZOË')).toEqual(['Zoë O’Hara-Quist']);
  expect(await found('nobody')).toEqual([]);
  // two letters in a name, at its end, and nowhere
  expect(await found('qu')).toEqual(['Zoë O’Hara-Quist']);
  expect(await found('Oë')).toEqual(['Zoë O’Hara-Quist']);
  expect(await found('xq')).toEqual([]);
  expect(await found('%')).toEqual([]);
  const common = await page({ searchTerm: 'garden' });
  expect(common.rows.map(({ fullName }) => fullName)).toEqual(
    Array.from({ length: 25 }, (_, i) => nameOf(i)),
  );
  expect(common.total, 'counted up to a thousand').toBe(1000);
});

test('a person is found by their whole email address, in capitals or not', async () => {
  expect(await found('Person-7@GARDEN.example')).toEqual([nameOf(7)]);
  expect(await found('person-7@garden')).toEqual([]);
});

test('a search narrows the people of a client, the contacts and the staff', async () => {
  expect(await found('o’hara', { clientName: 'b-2' })).toEqual(['Zoë O’Hara-Quist']);
  expect(await found('person 2599', { clientName: 'b-2' })).toEqual([]);
  expect(await found('garden', { clientName: 'b-2' })).toEqual([]);
  expect(await found('zoe@one.example', { clientName: 'b-2' })).toEqual(['Zoë O’Hara-Quist']);
  expect(await found('olga', { who: 'staff' })).toEqual(['Olga Owner']);
  expect(await found('olga', { who: 'contacts' })).toEqual([]);
  expect(await found('person 2599', { who: 'contacts' })).toEqual([nameOf(2599)]);
});

test('a new name is found at once and the old one no more, and a removed person by neither', async () => {
  const { contactId } = await person(firmOne, 'Wanda Wolff', 'wanda@one.example');
  expect(await found('da wo')).toEqual(['Wanda Wolff']);
  await changeRights(contactId, { full_name: 'Wanda Vogel' });
  expect(await found('da wo')).toEqual([]);
  expect(await found('a vog')).toEqual(['Wanda Vogel']);
  await changeRights(contactId, { removed_at: now() });
  expect(await found('a vog')).toEqual([]);
});

test('invited people are found by name, and listed among the others in the order of names', async () => {
  await prepareInvitation(olga, {
    emailAddress: 'ivo@new.example',
    firstName: 'ÉVA',
    lastName: 'Quist',
    language: 'en-us',
    clientIds: [clientA],
  });
  expect(await found('éva q')).toEqual(['ÉVA Quist']);
  expect(await found('quist')).toEqual(['Zoë O’Hara-Quist', 'ÉVA Quist']);
});
