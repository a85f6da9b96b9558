import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { stepsOf } from '../../support/statements.ts';
import {
  activeClient,
  choiceOf,
  linkContact,
  listClients,
  switcherQuery,
} from '#features/clients/clients/clients.server.ts';
import { clientsGrid } from '#features/clients/clients/clients-grid.server.ts';
import { listDocuments, yearsOf } from '#features/documents/documents/documents.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { unreadDocuments } from '#features/documents/documents/newest.server.ts';
import { findDefaultFolder } from '#features/documents/folders/folders.server.ts';
import { listContainers } from '#features/documents/folders/tree.server.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { listTrash } from '#features/documents/trash/trash.server.ts';
import { db } from '#platform/database/database.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { storeManyClients } from '../../support/many-clients.ts';

/*
 * What the engine reads for a page of a list, in a small firm and in a large one. Steps of its machine are counted, not
 * time: the same on every machine.
 */

const { ada, sam, firmOne, clientA, projectA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });

/** A contact with many clients, one of them the one with the documents. */
const moses = await person(firmOne, 'Moses Many', 'moses@one.example');
await linkContact(clientA, moses.contactId);

const FIRST = Date.UTC(2021, 0, 1);

/** Stores documents of the client, as an upload does one, an hour apart, every second one of its people. */
async function storeDocuments(from: number, until: number): Promise<void> {
  const id = sql`printf('%032x', i)`;
  await sql`insert into documents (document_id, company_id, client_id, container_id, name, name_key, mime_type, size, sha256, crc32, blob_key, created_by, uploaded_by_staff, created_at, modified_at)
    with recursive numbers (i) as (select ${from} union all select i + 1 from numbers where i < ${until - 1})
    select 'doc_' || ${id}, ${firmOne}, ${clientA}, ${projectA.id}, printf('Payroll week %06d.pdf', i), printf('payroll week %06d.pdf', i), 'application/pdf', i, ${id}, 0, ${id}, case i % 2 when 0 then ${sam.contactId} else ${ada.contactId} end, 1 - i % 2, ${FIRST} + i * 360000, ${FIRST}
    from numbers`.execute(db());
}

const storeClients = (from: number, until: number): Promise<string[]> =>
  storeManyClients(
    firmOne,
    Array.from({ length: until - from }, (_, i) => ({
      name: `Bakery ${from + i}`,
      code: `B-${from + i}`,
      kind: 'business' as const,
      tags: [],
      responsible: olga.contactId,
    })),
  );

const documents = (query: object) => (actor: Actor) =>
  listDocuments(actor, clientA, documentQuery.parse(query));

/** The page after the first one, without what it took to find the first one. */
const secondPageOf = async (actor: Actor): Promise<() => Promise<unknown>> => {
  const { next } = await documents({})(actor);
  return () => documents({ after: next ?? '', from: 100 })(actor);
};

const LISTS: Record<string, (actor: Actor) => Promise<unknown>> = {
  'documents, by date': documents({}),
  'documents, by name': documents({ orderBy: 'name', orderDir: 'asc' }),
  'documents, by size': documents({ orderBy: 'originalItemSize' }),
  'documents of a folder': documents({ parentIds: projectA.id }),
  'unread documents': documents({ readByClientUser: 'false' }),
  'documents of the firm': documents({ uploadedBy: 'firm' }),
  'documents of a year': documents({ year: '2021' }),
  'years of documents': (actor) => yearsOf(actor, clientA),
  'newest documents of the firm': unreadDocuments,
  folders: (actor) => listContainers(actor, clientA),
  'folder of uploads': (actor) => findDefaultFolder(actor, clientA),
  'deleted documents': (actor) => listTrash(actor, clientA, 0),
  clients: (actor) => listClients(actor, switcherQuery()),
  'the active client': (actor) => activeClient(actor, clientA),
  'the switcher': (actor) => choiceOf(actor, clientA),
};

async function stepsOfLists(): Promise<Record<string, number>> {
  const steps: Record<string, number> = {};
  for (const [who, actor] of Object.entries({
    contact: ada,
    'a contact of many clients': await actorOf(moses.contactId),
    staff: sam,
    owner: olga,
  })) {
    for (const [what, list] of Object.entries(LISTS))
      steps[`${what}, as ${who}`] = await stepsOf(() => list(actor));
    steps[`next documents, as ${who}`] = await stepsOf(await secondPageOf(actor));
  }
  const query = { searchTerm: '', fields: {}, filter: undefined, groupBy: [], path: [], after: undefined };
  for (const by of ['name', 'code'])
    steps[`table of clients, by ${by}`] = await stepsOf(() =>
      readGrid(clientsGrid, olga, { ...query, orderBy: [{ by, dir: 'asc' }] }),
    );
  return steps;
}

/** How many rows are counted along an index besides, some steps for each: the calls of the API say how many there are. */
const countedIn = (list: string): number =>
  list.startsWith('table of clients') ? 600 : /^clients, as (staff|owner)/.test(list) ? 9600 : 0;
const STEPS_TO_COUNT = 9;

test('a list reads no more rows with 100,000 documents and 10,000 clients', async () => {
  await sql`drop trigger document_words_came`.execute(db()); // the words take most of the time, and none of these lists
  // filtered lists and unread documents are counted up to a thousand, which both sizes have
  await storeDocuments(0, 3000);
  for (const clientId of await storeClients(0, 400)) await linkContact(clientId, moses.contactId);
  const before = await stepsOfLists();
  await storeDocuments(3000, 100_000);
  await storeClients(400, 10_000);
  const after = await stepsOfLists();
  const grown = Object.entries(before).flatMap(([list, steps]) => {
    const limit = steps * 1.05 + STEPS_TO_COUNT * countedIn(list);
    const now = after[list] ?? Infinity;
    return now > limit ? [`${list}: ${steps} steps, then ${now}`] : [];
  });
  expect(grown).toEqual([]);
});
