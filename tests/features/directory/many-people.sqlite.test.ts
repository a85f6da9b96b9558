import { expect, test } from 'vitest';
import { plansOf } from '../../support/statements.ts';
import { staffChoices } from '#features/clients/clients/list-choices.server.ts';
import { peopleGrid } from '#features/clients/directory/people-grid.server.ts';
import type { GridQuery } from '#features/base/grids/grids.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import { staffWith } from '#features/base/people/people.server.ts';
import { staffByEmail } from '#features/base/people/staff.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { storeManyClients, storeManyContacts } from '../../support/many-clients.ts';
import { NO_QUERY } from '../../support/grid-query.ts';

/*
 * How the lists of people find their rows in a firm with so many that a search asks the index of texts.
 */

const { firmOne, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await storeManyContacts(
  firmOne,
  Array.from({ length: 2100 }, (_, i) => ({
    clientId: clientA,
    fullName: `Garden Person ${i}`,
    email: `person-${i}@garden.example`,
  })),
);
await storeManyClients(
  firmOne,
  Array.from({ length: 2100 }, (_, i) => ({
    name: `Orchard ${String(i).padStart(4, '0')} Ltd`,
    code: `C-${i}`,
    kind: 'business' as const,
    tags: [],
    responsible: olga.contactId,
  })),
);

/** The queries of a page of the list: its rows, and their number. */
const listsOf = async (query: Partial<GridQuery>) =>
  (await plansOf(() => readGrid(peopleGrid, olga, { ...NO_QUERY, ...query }))).filter(
    ({ text }) => text.includes('as "k0"') || text.includes('as counted'),
  );

const LISTS: Record<string, () => Promise<unknown>> = {
  'the staff who can be responsible': () => staffChoices(olga),
  'the staff with a permission': () => staffWith(firmOne, 'ManageClients'),
  'the staff by email address': () => staffByEmail(olga),
};

for (const [what, list] of Object.entries(LISTS))
  test(`${what} are listed along the index of staff`, async () => {
    const [first] = await plansOf(list);
    expect(first?.plan.join('\n')).toMatch(/SEARCH contacts USING INDEX staff_by_name \(company_id=\?\)/);
  });

for (const [what, query, index] of [
  ['everybody', {}, /INDEX contacts_by_name \(company_id=\?\)/],
  ['contacts', { fields: { who: 'contacts' } }, /INDEX contacts_by_name \(company_id=\?\)/],
  ['staff', { fields: { who: 'staff' } }, /INDEX staff_by_name \(company_id=\?\)/],
  ['those with a common name', { searchTerm: 'garden' }, /INDEX contacts_by_name \(company_id=\?\)/],
] as const)
  test(`the list of ${what} is read in the order of an index`, async () => {
    const lists = await listsOf(query);
    expect(lists).toHaveLength(2);
    for (const { text, plan } of lists) {
      expect(plan.join('\n'), text).toMatch(index);
      expect(plan.join('\n'), text).not.toMatch(/SCAN contacts|TEMP B-TREE/);
    }
  });

for (const [what, searchTerm, index] of [
  ['a rare name', 'person 2099', /contact_search_words VIRTUAL TABLE INDEX/],
  ['an email address', 'person-7@garden.example', /SEARCH users USING .*\(email_key=\?\)/],
] as const)
  test(`people with ${what} are looked up, not looked for in the list`, async () => {
    const lists = await listsOf({ searchTerm });
    expect(lists, 'counted by the same statement').toHaveLength(1);
    for (const { text, plan } of lists) {
      expect(plan.join('\n'), text).toMatch(index);
      expect(plan.join('\n'), text).not.toMatch(/SCAN contacts\b|SEARCH contacts USING .*\(company_id=\?\)/);
    }
  });

test('people of clients with a rare text are looked up and counted by the index of texts', async () => {
  const lists = await listsOf({ fields: { clientName: 'orchard 2099' } });
  expect(lists).toHaveLength(1);
  const plan = lists[0]?.plan.join('\n') ?? '';
  expect(plan).toMatch(/client_search_words VIRTUAL TABLE INDEX/);
  expect(plan).toMatch(/SEARCH people USING PRIMARY KEY \(client_key=\?\)/);
  expect(plan).not.toMatch(/SCAN contacts\b|SEARCH contacts USING .*\(company_id=\?\)|SEARCH links/);
});

test('people of clients with a common text are counted by the index of texts first, and read in the order of the list', async () => {
  const lists = await listsOf({ fields: { clientName: 'orchard' } });
  const [rows, counted] = lists.map(({ plan }) => plan.join('\n'));
  expect(rows).toMatch(/SEARCH contacts USING .*INDEX contacts_by_name \(company_id=\?\)/);
  expect(rows).not.toMatch(/TEMP B-TREE/);
  expect(counted).toMatch(/SEARCH people USING PRIMARY KEY \(client_key=\?\)/);
});

test('the clients of staff are counted without looking them up', async () => {
  const plans = await plansOf(() => readGrid(peopleGrid, olga, { ...NO_QUERY, fields: { who: 'staff' } }));
  const [counted] = plans.filter(({ text }) => text.includes('from staff_clients as links'));
  expect(counted?.plan.join('\n')).toMatch(
    /SEARCH links USING INDEX sqlite_autoindex_staff_clients_1 \(contact_id=\?\)/,
  );
});
