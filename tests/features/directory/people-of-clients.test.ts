import path from 'node:path';
import fc from 'fast-check';
import { sql, type Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { archiveClients, restoreClients } from '#features/clients/clients/archiving.server.ts';
import { updateClient } from '#features/clients/clients/editing.server.ts';
import { peopleGrid } from '#features/clients/directory/people-grid.server.ts';
import { idsOf, PAGE, readGrid } from '#features/base/grids/reading.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { assignClient, changeRights, insertLink } from '#features/base/people/rights.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { db, migrateSchema } from '#platform/database/database.server.ts';
import { migrations } from '#platform/database/migrations.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { openSqlite } from '#platform/database/sqlite.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { migrateWith } from '../../support/landings.ts';
import { storeManyClients, storeManyContacts } from '../../support/many-clients.ts';
import { ownPart } from '../../support/services.ts';
import { NO_QUERY } from '../../support/grid-query.ts';

/*
 * People by a text of their clients, in a firm with so many that an index has them: whatever changes, they are those that
 * a plain query finds, in its order.
 */

const { firmOne, firmTwo, tom } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const rita = await person(firmOne, 'Rita Manager', 'rita@one.example', { role: 'manager' });
const mona = await person(firmOne, 'Mona Member', 'mona@one.example', {
  role: 'manager',
  hasAllClients: false,
});
const CLIENTS = 2600;
const CONTACTS = 1500;
/** A number for each one that does not follow its order. */
const mixed = (i: number): number => (i * 7919) % 10_007;
const nameOf = (i: number): string =>
  [
    String(mixed(i)).padStart(5, '0'),
    mixed(i) % 2 === 0 ? 'Half' : '',
    mixed(i) % 10 === 3 ? 'Tenth' : '',
    mixed(i) % 100 === 7 ? 'Rare' : '',
    'Ltd',
  ].join(' ');
const clientIds = await storeManyClients(
  firmOne,
  Array.from({ length: CLIENTS }, (_, i) => ({
    name: nameOf(i),
    code: `C-${i}`,
    kind: 'business' as const,
    tags: i % 300 === 0 ? ['Season'] : [],
    responsible: i % 10 === 0 ? mona.contactId : i % 3 === 0 ? rita.contactId : olga.contactId,
  })),
);
await storeManyClients(firmTwo, [
  { name: '00000 Rare Ltd', code: 'F', kind: 'business', tags: ['Season'], responsible: tom.contactId },
]);
await storeManyContacts(
  firmOne,
  Array.from({ length: CONTACTS }, (_, i) => ({
    clientId: clientIds[i] ?? '',
    fullName: `${i % 7 === 0 ? 'Nova ' : ''}Person ${String(mixed(i)).padStart(5, '0')}`,
    email: `person-${i}@garden.example`,
  })),
);
const contactIds = (
  await db()
    .selectFrom('client_contacts')
    .innerJoin('clients', 'clients.client_id', 'client_contacts.client_id')
    .select('contact_id')
    .where('company_id', '=', firmOne)
    .where('clients.code', 'like', 'C-%')
    .orderBy(sql`case when clients.search_key like '%rare%' then 0 else 1 end`)
    .orderBy('contact_id')
    .execute()
).map((row) => row.contact_id);
// every fifth has a second client
for (const [i, contactId] of contactIds.entries())
  if (i % 5 === 0) await insertLink(clientIds[(i * 31) % CLIENTS] ?? '', contactId);
if (config.databaseUrl !== undefined) await sql`analyze`.execute(db()); // as autovacuum does

interface Search {
  clientName: string;
  who: '' | 'contacts' | 'staff';
  searchTerm: string;
}

/** The people that a plain query finds: by all clients of all people, without an index of texts. */
async function plainly(actor: Actor, { clientName, who, searchTerm }: Search): Promise<string[]> {
  const own = sql`select client_id from staff_clients where contact_id = ${actor.contactId}`;
  const acts = (links: string) =>
    sql`contact_id in (select links.contact_id from ${sql.table(links)} as links join clients on clients.client_id = links.client_id
      where clients.company_id = ${actor.companyId} and clients.merged_into is null
      and clients.search_key like ${`%${clientName}%`} ${actor.hasAllClients ? sql`` : sql`and clients.client_id in (${own})`})`;
  const sees = actor.hasAllClients
    ? sql`1 = 1`
    : sql`(contacts.staff = 1 or exists (select 1 from client_contacts where client_contacts.contact_id = contacts.contact_id and client_id in (${own})))`;
  const { rows } = await sql<{ id: string }>`select contact_id as id from contacts
    where company_id = ${actor.companyId} and removed_at is null and ${sees} and name_key like ${`%${searchTerm}%`}
    and staff in (${who === 'contacts' ? 0 : 1}, ${who === 'staff' ? 1 : 0})
    and (${acts('client_contacts')} or ${acts('staff_clients')}) order by name_key, contact_id`.execute(db());
  return rows.map(({ id }) => id);
}

/** The names of the clients of a person for whom the actor acts, too, in their order. */
async function clientsOf(actor: Actor, id: string): Promise<string[]> {
  const own = sql`select client_id from staff_clients where contact_id = ${actor.contactId}`;
  const of = async (links: string) => {
    const { rows } = await sql<{
      name: string;
    }>`select name from ${sql.table(links)} as links join clients on clients.client_id = links.client_id
      where links.contact_id = ${id} and clients.company_id = ${actor.companyId} and clients.merged_into is null
      ${actor.hasAllClients ? sql`` : sql`and clients.client_id in (${own})`} order by name_key`.execute(
      db(),
    );
    return rows.map(({ name }) => name);
  };
  const assigned = await of('staff_clients');
  return assigned.length > 0 ? assigned : of('client_contacts');
}

const CLIENT_ID =
  config.databaseUrl === undefined
    ? sql`(select client_id from client_search where seq = people.client_key)`
    : sql`people.client_key`;

/** What the index has is what the links say. */
async function expectIndex(database: Kysely<Tables>): Promise<void> {
  const { rows: indexed } = await sql<{
    what: string;
  }>`select ${CLIENT_ID} || ' ' || contact_id || ' ' || name_key as what from client_search_people as people`.execute(
    database,
  );
  const { rows: linked } = await sql<{
    what: string;
  }>`select clients.client_id || ' ' || contacts.contact_id || ' ' || case when staff = 1 then '' else contacts.name_key end as what
    from (select client_id, contact_id from client_contacts union select client_id, contact_id from staff_clients) as links
    join clients on clients.client_id = links.client_id join contacts on contacts.contact_id = links.contact_id
    where contacts.company_id = clients.company_id and removed_at is null`.execute(database);
  const sorted = (rows: { what: string }[]) => rows.map(({ what }) => what).toSorted();
  expect(sorted(indexed)).toEqual(sorted(linked));
}

async function expectPlain(actor: Actor, search: Search): Promise<void> {
  const { clientName, who, searchTerm } = search;
  const query = { ...NO_QUERY, searchTerm, fields: { clientName, who } };
  const expected = await plainly(actor, search);
  const all: (string | number)[] = [];
  for await (const some of idsOf(peopleGrid, actor, query)) all.push(...some);
  expect(all).toEqual(expected);
  const { rows, total, next } = await readGrid(peopleGrid, actor, query);
  expect(rows.map(({ id }) => id)).toEqual(expected.slice(0, PAGE));
  expect(total).toBe(Math.min(expected.length, 1000));
  for (const { id, clients } of rows.slice(0, 3)) {
    const names = await clientsOf(actor, id);
    expect(clients.count).toBe(Math.min(names.length, 1000));
    if (names.length <= 1000) expect(clients.first).toBe(names[0] ?? '');
  }
  if (next === undefined) return;
  const second = await readGrid(peopleGrid, actor, { ...query, after: next });
  expect(second.rows.map(({ id }) => id)).toEqual(expected.slice(PAGE, 2 * PAGE));
  expect(second.total).toBe(total);
}

const SEARCHES: fc.Arbitrary<Search> = fc.record({
  clientName: fc.constantFrom(
    'ltd',
    'half',
    'tenth',
    'rare',
    'rare ltd',
    'season',
    'new name',
    'none',
    'zx',
    'c-1',
  ),
  who: fc.constantFrom('', '', 'contacts', 'staff'),
  searchTerm: fc.constantFrom('', '', '', 'nova', 'person 09', 'olga'),
});

/** What changes who is found by which text. */
const CHANGES: Record<string, (contactId: string, clientId: string) => Promise<unknown>> = {
  'link a client': (contactId, clientId) => insertLink(clientId, contactId),
  'unlink all clients': (contactId) =>
    db().deleteFrom('client_contacts').where('contact_id', '=', contactId).execute(),
  'move a link': (contactId, clientId) =>
    sql`update client_contacts set client_id = ${clientId} where contact_id = ${contactId} and client_id = (select min(client_id) from client_contacts where contact_id = ${contactId})
      and not exists (select 1 from client_contacts where contact_id = ${contactId} and client_id = ${clientId})`.execute(
      db(),
    ),
  'rename a person': (contactId) =>
    changeRights(contactId, { full_name: `Nova Named ${contactId.slice(-5)}` }),
  'rename staff': () => changeRights(rita.contactId, { full_name: `Rita ${Math.random()}` }),
  'remove a person': (contactId) => changeRights(contactId, { removed_at: now() }),
  'take a person back': (contactId) => changeRights(contactId, { removed_at: null }),
  'rename a client': (_, clientId) => updateClient(olga, clientId, { name: 'New Name Rare zx' }),
  'tag a client': (_, clientId) => updateClient(olga, clientId, { tags: ['Season'] }),
  'archive a client': (_, clientId) => archiveClients(olga, [clientId]),
  'restore a client': (_, clientId) => restoreClients(olga, [clientId]),
  'merge a client': (_, clientId) =>
    sql`update clients set merged_into = ${clientIds[0]}, archived_at = 1 where client_id = ${clientId}`.execute(
      db(),
    ),
  'assign a client': (_, clientId) => assignClient(clientId, mona.contactId, true),
  'unassign a client': (_, clientId) =>
    db()
      .deleteFrom('staff_clients')
      .where('client_id', '=', clientId)
      .where('contact_id', '=', mona.contactId)
      .execute(),
  'a contact becomes staff': (contactId) => changeRights(contactId, { staff: 1, role: 'member' }),
  'staff become a contact': (contactId) => changeRights(contactId, { staff: 0, role: '' }),
};

test('people are those that a plain query finds by their clients, in its order, whatever has changed', async () => {
  const change = fc.tuple(
    fc.constantFrom(...Object.keys(CHANGES)),
    fc.constantFrom(...contactIds.slice(0, 8)),
    fc.constantFrom(...clientIds.slice(0, 20)),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 12 }),
      fc.array(SEARCHES, { minLength: 3, maxLength: 5 }),
      async (changes, searches) => {
        for (const [name, contactId, clientId] of changes)
          await CHANGES[name]?.(contactId, clientId).catch((error: unknown) => {
            // archived or merged already
            if (!(error instanceof Error && 'code' in error)) throw error;
          });
        for (const search of searches)
          for (const actor of [olga, mona, tom]) await expectPlain(actor, search);
      },
    ),
    { numRuns: 10, endOnFailure: true },
  );
});

test.each(['ltd', 'half', 'tenth', 'rare', 'season', 'none', 'qq'])(
  'people of clients with %s are those that a plain query finds',
  async (clientName) => {
    for (const actor of [olga, mona, tom])
      for (const who of ['', 'contacts', 'staff'] as const)
        for (const searchTerm of ['', 'nova']) await expectPlain(actor, { clientName, who, searchTerm });
  },
);

test('a database of before the index is filled, without links of removed people or of another firm', async () => {
  const url =
    config.databaseUrl === undefined ? undefined : (await ownPart('people of clients')).DATABASE_URL;
  const onPostgres = url !== undefined;
  const old: Kysely<Tables> = onPostgres
    ? (await import('#platform/database/postgres.server.ts')).openPostgres(url)
    : openSqlite(path.join(config.dataDir, 'before-people-of-clients.db'));
  const all = migrations(onPostgres);
  const before = Object.keys(all).filter((name) => name < '0108');
  expect(
    await migrateWith(
      old,
      all,
      before.map((name) => name.slice(0, 4)),
    ),
  ).toBeUndefined();
  const say = (text: string) => sql.raw(text).execute(old);
  for (const firm of ['one', 'two'])
    await say(
      `insert into firms (company_id, name, phone, email, language, locked) values ('${firm}', 'Firm', '', 'office@old.example', 'en-us', 0)`,
    );
  for (const [id, firm, staff, removed] of [
    ['ada', 'one', 0, 'null'],
    ['sam', 'one', 1, 'null'],
    ['rob', 'one', 0, '1'],
    ['zoe', 'two', 0, 'null'],
  ] as const) {
    await say(
      `insert into users (prism_guid, email, email_key, first_name, last_name, language, mfa_required, created_at) values ('u-${id}', '${id}', '${id}', '', '', 'en-US', 0, 1)`,
    );
    await say(
      `insert into contacts (contact_id, company_id, prism_guid, full_name, name_key, staff, removed_at, created_at) values ('${id}', '${firm}', 'u-${id}', '${id}', '${id}', ${staff}, ${removed}, 1)`,
    );
  }
  for (const id of ['a', 'b'])
    await say(
      `insert into clients (client_id, company_id, name, name_key, code, code_key, kind, nickname_key, created_at, modified_at, search_key) values ('${id}', 'one', '${id}', '${id}', '${id}', '${id}', 'business', '', 1, 1, '${id}')`,
    );
  for (const [client, contact] of ['a ada', 'b ada', 'a rob', 'a zoe'].map((pair) => pair.split(' ')))
    await say(`insert into client_contacts (client_id, contact_id) values ('${client}', '${contact}')`);
  await say(`insert into staff_clients (client_id, contact_id, mac) values ('b', 'sam', '')`);
  await migrateSchema(old, onPostgres);
  await expectIndex(old);
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from client_search_people`.execute(old);
  expect(Number(rows[0]?.count)).toBe(3);
  await old.destroy();
});
