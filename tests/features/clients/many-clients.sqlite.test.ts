import { expect, test } from 'vitest';
import { plansOf } from '../../support/statements.ts';
import {
  activeClient,
  choiceOf,
  clientOf,
  listClients,
  switcherQuery,
} from '#features/clients/clients/clients.server.ts';
import { clientsGrid } from '#features/clients/clients/clients-grid.server.ts';
import { pendingOf } from '#features/clients/clients/pending.server.ts';
import { findDefaultFolder } from '#features/documents/folders/folders.server.ts';
import { listContainers } from '#features/documents/folders/tree.server.ts';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { listTrash } from '#features/documents/trash/trash.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { listReceipts } from '#features/base/receipts/receipts.server.ts';
import { makeCast, person, uploadAs } from '../../support/cast.ts';

const { ada, sam, firmOne, clientA, projectA } = await makeCast();
await uploadAs(ada, projectA, 'Receipt.pdf', 'a receipt');

/**
 * Searches by firm alone: they read as many rows as the firm has clients, unless the statement stops early.
 */
const WALK = /(SCAN clients\b|SEARCH clients USING .*\(company_id=\?\))/;

async function walks(work: () => Promise<unknown>): Promise<string[]> {
  const plans = await plansOf(work);
  expect(plans.length, 'something was asked').toBeGreaterThan(0);
  return plans
    .filter(({ text, plan }) => !/ limit \?$/.test(text) && plan.some((line) => WALK.test(line)))
    .map(({ text }) => text);
}

const PAGES: Record<string, (actor: Actor) => Promise<unknown>> = {
  'the documents of a client': (actor) => listDocuments(actor, clientA, documentQuery.parse({})),
  'the documents of a folder': (actor) =>
    listDocuments(actor, clientA, documentQuery.parse({ parentIds: projectA.id })),
  'a search for documents': (actor) =>
    listDocuments(actor, clientA, documentQuery.parse({ name: 'receipt' })),
  'the folders of a client': (actor) => listContainers(actor, clientA),
  'the folder of uploads': (actor) => findDefaultFolder(actor, clientA),
  'the deleted documents': (actor) => listTrash(actor, clientA, 0),
  'the receipts': (actor) => listReceipts(actor, clientA),
  'the active client': (actor) => activeClient(actor, clientA),
  'a client': (actor) => clientOf(actor, clientA),
  'the switcher': (actor) => choiceOf(actor, clientA),
};

for (const [what, page] of Object.entries(PAGES)) {
  test(`reading ${what} costs no more in a firm with many clients, for a contact and for staff`, async () => {
    expect(await walks(() => page(ada))).toEqual([]);
    expect(await walks(() => page(sam))).toEqual([]);
  });
}

test('what waits at the clients of a page is counted by one statement, with an index for each client', async () => {
  for (const actor of [ada, sam]) {
    const plans = await plansOf(() => pendingOf(actor, [clientA, 'client_1', 'client_2']));
    expect(plans).toHaveLength(1);
    expect(plans[0]?.plan.join('\n')).toMatch(/SEARCH (unread|inbox_items) USING (COVERING )?INDEX/);
    expect(plans[0]?.plan.join('\n')).not.toContain('SCAN inbox_items');
  }
});

test('the filters of the table of clients follow an index in the order of the list', async () => {
  const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
  const query = { searchTerm: '', filter: undefined, orderBy: [], groupBy: [], path: [], after: undefined };
  for (const fields of [{}, { tag: 'payroll' }, { responsible: olga.contactId }, { kind: 'individual' }])
    for (const orderBy of [[], [{ by: 'code', dir: 'asc' as const }]]) {
      const plans = await plansOf(() => readGrid(clientsGrid, olga, { ...query, fields, orderBy }));
      const lists = plans.filter(({ text }) => text.includes('as "k0"') || text.includes('as counted'));
      expect(lists).toHaveLength(2);
      for (const { text, plan } of lists) {
        expect(plan.join(' '), text).toMatch(
          /USING (COVERING )?INDEX (current|tagged|responsible|grouped)\w+ \(/,
        );
        expect(plan.join(' '), text).not.toMatch(/TEMP B-TREE|SCAN clients/);
      }
    }
});

test('clients are grouped, and the rows in a group found, without reading the rows of the table', async () => {
  const olga = await person(firmOne, 'Gina Groups', 'gina@one.example', { role: 'owner' });
  const query = { searchTerm: '', fields: {}, filter: undefined, orderBy: [], after: undefined };
  const groupBy = ['kind', 'language', 'yearEnd'];
  for (const path of [['business'], ['business', ''], ['business', '', '']]) {
    const plans = await plansOf(() => readGrid(clientsGrid, olga, { ...query, groupBy, path }));
    const lists = plans.filter(({ text }) => text.includes('as "k0"') || text.includes('as counted'));
    expect(lists.length).toBeGreaterThan(0);
    for (const { text, plan } of lists) {
      expect(plan.join('\n'), text).toMatch(
        /SEARCH clients USING COVERING INDEX grouped_clients \(company_id=\? AND kind=\?/,
      );
      expect(plan.join('\n'), text).not.toMatch(/TEMP B-TREE/);
    }
  }
});

test('listing their own clients costs a contact no more in a firm with many clients', async () => {
  expect(await walks(() => listClients(ada, switcherQuery()))).toEqual([]);
  expect(await walks(() => listClients(ada, switcherQuery({ searchTerm: 'amber' })))).toEqual([]);
  expect(await walks(() => activeClient(ada, undefined))).toEqual([]);
});
