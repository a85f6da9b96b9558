import { expect, test } from 'vitest';
import { postgresPlansOf, rowsRead, vacuumAll } from '../../support/postgres-plans.ts';
import { clientsGrid } from '#features/clients/clients/clients-grid.server.ts';
import { staffChoices } from '#features/clients/clients/list-choices.server.ts';
import { peopleGrid } from '#features/clients/directory/people-grid.server.ts';
import type { GridQuery } from '#features/base/grids/grids.ts';
import { PAGE, readGrid } from '#features/base/grids/reading.server.ts';
import { staffWith } from '#features/base/people/people.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { storeManyClients, storeManyContacts } from '../../support/many-clients.ts';
import { NO_QUERY } from '../../support/grid-query.ts';

/*
 * What pages of clients and people cost in a firm with 12,000 of each, one for each.
 */

const COUNT = 12_000;
/** As many rows a search may look at: the sample that tells common texts from rare ones, and some. */
const SAMPLE = 2100;

const { firmOne, sam } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const clientIds = await storeManyClients(
  firmOne,
  Array.from({ length: COUNT }, (_, i) => ({
    name: `Garden ${String(i).padStart(5, '0')}${i % 10 === 3 ? ' Orchard' : ''}${i >= COUNT - 600 ? ' Zebra' : ''} Ltd`,
    code: `C-${i}`,
    kind: 'business' as const,
    tags: [],
    responsible: i % 2 === 0 ? olga.contactId : sam.contactId,
  })),
);
await storeManyContacts(
  firmOne,
  clientIds.map((clientId, i) => ({
    clientId,
    fullName: `${i === 9000 ? 'Rare' : 'Garden'} Person ${String(i).padStart(5, '0')}`,
    email: `person-${i}@garden.example`,
  })),
);
await vacuumAll();

const peoplePlans = (query: Partial<GridQuery>) =>
  postgresPlansOf(() => readGrid(peopleGrid, olga, { ...NO_QUERY, ...query }));

for (const [what, list] of [
  ['the staff who can be responsible', () => staffChoices(olga)],
  ['the staff with a permission', () => staffWith(firmOne, 'ManageClients')],
] as const)
  test(`${what} are listed without a walk over the contacts of the firm`, async () => {
    for (const { plan, text } of await postgresPlansOf(list))
      expect(rowsRead(plan, 'contacts'), text).toBeLessThan(50);
  });

for (const [what, query] of [
  ['everybody', {}],
  ['staff', { fields: { who: 'staff' } }],
  ['contacts', { fields: { who: 'contacts' } }],
  ['those with a common name', { searchTerm: 'garden' }],
  ['those with a rare name', { searchTerm: 'rare person' }],
  ['the one with an email address', { searchTerm: 'person-9000@garden.example' }],
  ['nobody', { searchTerm: 'nobody' }],
] as const)
  test(`a page of ${what} is read without a walk over the people of the firm`, async () => {
    for (const { plan, text } of await peoplePlans(query)) {
      const isCount = text.includes('as counted');
      expect(rowsRead(plan, 'contacts'), text).toBeLessThanOrEqual(
        isCount && !('searchTerm' in query) ? 10_001 : text.includes('as sample') ? SAMPLE : 1100,
      );
      if (text.includes('as "k0"')) expect(rowsRead(plan, 'contacts'), text).toBeLessThan(4 * PAGE);
    }
  });

for (const [what, clientName] of [
  ['a word that all have', 'ltd'],
  ['a word of one in ten', 'orchard'],
  ['a word of the last', 'zebra'],
  ['a text that none has', 'nothing'],
] as const)
  test(`people of clients with ${what} are read and counted without a walk over the people or their clients`, async () => {
    const plans = await peoplePlans({ fields: { clientName } });
    expect(plans.filter(({ text }) => text.includes('as counted')).length).toBeLessThanOrEqual(1);
    for (const { plan, text } of plans) {
      expect(rowsRead(plan, 'contacts'), text).toBeLessThan(400);
      expect(rowsRead(plan, 'clients'), text).toBeLessThanOrEqual(SAMPLE);
      expect(rowsRead(plan, 'client_search_people'), text).toBeLessThanOrEqual(2 * 1250);
    }
  });

test('of staff with thousands of clients, a thousand are counted without reading them', async () => {
  for (const { plan, text } of await peoplePlans({ fields: { who: 'staff' } })) {
    expect(rowsRead(plan, 'clients'), text).toBeLessThan(50);
    expect(rowsRead(plan, 'staff_clients'), text).toBeLessThanOrEqual(2 * 2 * 1001);
  }
});

test('a page of clients is read without a walk over the clients or contacts of the firm', async () => {
  for (const { plan, text } of await postgresPlansOf(() => readGrid(clientsGrid, olga, NO_QUERY))) {
    const isCount = text.includes('as counted');
    expect(rowsRead(plan, 'clients'), text).toBeLessThanOrEqual(isCount ? 1001 : 4 * PAGE);
    expect(rowsRead(plan, 'contacts'), text).toBeLessThan(4 * PAGE);
    expect(
      plan.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name']),
      text,
    ).not.toContain('clients');
  }
});
