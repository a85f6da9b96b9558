import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import { findsClient, ownClientsWith } from '#features/clients/clients/client-search.server.ts';
import { contains } from '#features/base/grids/filters.server.ts';
import type { FoundRows } from '#features/base/grids/define.server.ts';
import type { GridQuery } from '#features/base/grids/grids.ts';
import { rowsWithText } from '#features/base/grids/rare-texts.server.ts';
import { isOwnPending, pendingClients } from '#features/identity/invitations/invitations.server.ts';
import { actsForClient, clientIdsOf, isOwnContact } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { contactsByText, db, fold, inBatches } from '#platform/database/database.server.ts';
import type { Bit, Tables } from '#platform/database/schema.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';

/*
 * The people that a search and the filters by role and client find, in a firm of any size (docs/decisions/0059): all are
 * served in the order of the list.
 */

/** What the list reads of contacts and staff, as the table `contacts`. */
type Listed = Pick<
  Tables['contacts'],
  'contact_id' | 'company_id' | 'name_key' | 'staff' | 'role' | 'suspended_at' | 'removed_at'
>;

/**
 * Contacts and staff, pending invitations as `invitations`, and conditions of the list, `people`. If few are looked up, they
 * are all; otherwise the list is read in its order, by one more condition, or some of its people are enough.
 */
interface Sought {
  contacts: RawBuilder<Listed>;
  invitations: RawBuilder<Tables['invitations']>;
  where: readonly Expression<SqlBool>[];
  areFew: boolean;
  isOf?: Expression<SqlBool>;
  some: readonly RawBuilder<Listed>[];
}

const EVERYONE: Sought = {
  contacts: sql`contacts`,
  invitations: sql`invitations`,
  where: [],
  areFew: false,
  some: [],
};

/** The people that a search and filters find, as the table `people`. */
export async function soughtPeople(
  actor: Actor,
  {
    searchTerm,
    fields: { clientName = '', who = '' },
  }: Pick<GridQuery, 'searchTerm'> & { fields: Partial<Record<string, string>> },
) {
  const ofClient = clientName === '' ? EVERYONE : await whoActFor(actor, clientName);
  const sought = searchTerm === '' ? ofClient : await withName(actor, ofClient, searchTerm);
  const { contacts, invitations, where, areFew, isOf, some } = sought;
  const listed = (found: RawBuilder<Listed>, conditions: readonly Expression<SqlBool>[]) =>
    db()
      .selectFrom(peopleOf(actor, { contacts: found, invitations }, who))
      .where((e) => e.and([isListed(actor), ...conditions]))
      .$if(who === 'contacts', (people) => people.where('people.staff', '=', 0));
  const rows = listed(contacts, isOf ? [...where, isOf] : where);
  return {
    rows,
    areFew,
    some: some.map((found) => listed(found, where)),
  } satisfies FoundRows<typeof rows>;
}

/**
 * Contacts and staff, and the invitations that the actor may manage, each in the order of an index. Both engines merge the
 * two orders: SQLite only if the columns of both have the same affinity, PostgreSQL only if the contacts have no conditions
 * of their own, which are therefore some of the whole (`isListed`, and that they are no staff).
 */
const peopleOf = (
  actor: Actor,
  { contacts, invitations }: Pick<Sought, 'contacts' | 'invitations'>,
  who: string,
) =>
  db()
    .selectFrom(contacts.as('contacts'))
    .select([
      'contacts.contact_id as id',
      'contacts.company_id',
      'contacts.name_key',
      sql<string>`case when contacts.staff = 0 then 'contact' when contacts.role = '' then 'member' else contacts.role end`.as(
        'role',
      ),
      'contacts.staff',
      sql<number>`0`.as('is_invitation'),
      sql<string>`case when contacts.suspended_at is null then '' else 'suspended' end`.as('known_state'),
      'contacts.removed_at',
    ])
    .$if(!actor.hasAllClients, (rows) => rows.where(isOwnContact(actor)))
    // a literal: SQLite uses the index of staff for no parameter
    .$if(who === 'staff', (rows) => rows.where('contacts.staff', '=', sql.lit<1>(1)))
    .unionAll(
      db()
        .selectFrom(invitations.as('invitations'))
        .select([
          'invitations.invitation_id as id',
          'invitations.company_id',
          'invitations.name_key',
          sql<string>`case when invitations.role = '' then 'contact' else invitations.role end`.as('role'),
          sql<Bit>`cast(case when invitations.role = '' then 0 else 1 end as smallint)`.as('staff'),
          sql<number>`1`.as('is_invitation'),
          sql<string>`case when invitations.sent_at = 0 then 'prepared' when invitations.expires_at <= ${now()} then 'expired' else 'invited' end`.as(
            'known_state',
          ),
          sql<number | null>`cast(null as bigint)`.as('removed_at'),
        ])
        .where(isOwnPending(actor))
        .$if(who === 'staff', (rows) => rows.where('invitations.role', '<>', ''))
        // the owner of a new firm is its contact already, and joins by an invitation of their own
        .where(
          sql<boolean>`not exists (select 1 from contacts as inviters join users on users.prism_guid = inviters.prism_guid
            where inviters.contact_id = invitations.invited_by and users.email_key = invitations.email_key)`,
        ),
    )
    .as('people');

/** The condition that somebody is of the actor's firm; of contacts, what `isOwnContact` asks where staff see all. */
const isListed = ({ companyId }: Actor): Expression<SqlBool> =>
  sql<SqlBool>`(people.company_id = ${companyId} and people.removed_at is null)`;

/** A column of a contact that few statements read: it is looked up then. */
const columnOf = (column: 'name_key' | 'staff' | 'role' | 'suspended_at'): RawBuilder<unknown> =>
  sql`(select ${sql.ref(`one.${column}`)} from contacts as one where one.contact_id = found.contact_id)`;

/** People who are looked up. The planner might prefer the index of names, which `|| ''` rules out. */
const LOOKED_UP = sql`found.contact_id, found.company_id || '' as company_id, ${columnOf('role')} as role, ${columnOf('suspended_at')} as suspended_at`;

/** Narrows people to those with a text anywhere in their name, or with an exact email address. */
async function withName({ companyId }: Actor, sought: Sought, term: string): Promise<Sought> {
  if (term.includes('@')) {
    const key = await blindIndex(fold(term));
    const isTheirs = sql`prism_guid = (select prism_guid from users where email_key = ${key})`;
    const contacts = sql<Listed>`(select contact_id, company_id || '' as company_id, name_key, staff, role, suspended_at, removed_at from contacts
      where ${isTheirs} ${sought.areFew ? sql`and contact_id in (select contact_id from ${sought.contacts} as found)` : sql``})`;
    return {
      ...sought,
      contacts,
      invitations: sql`(select * from ${sought.invitations} as invitations where email_key = ${key})`,
      areFew: true,
      some: [],
    };
  }
  const text = fold(term);
  const where = [...sought.where, contains(sql.ref('people.name_key'), text)];
  if (sought.areFew) return { ...sought, where };
  const { few } = await rowsWithText(text, {
    column: sql.ref('name_key'),
    list: sql`from contacts where company_id = ${companyId} and removed_at is null order by name_key, contact_id`,
    index: contactsByText(companyId, text),
  });
  if (!few) return { ...sought, where };
  const contacts = sql<Listed>`(select ${LOOKED_UP}, found.name_key, found.staff, found.removed_at from (${few}) as found)`;
  return { ...sought, contacts, where, areFew: true, some: [] };
}

/**
 * Those who act for a client that a search finds, or are invited to one. Of few clients, the people are found by the index
 * that has them next to the texts. Of a common text, the list of people is read in its order until a page is full, and
 * counted by the people of some clients. SQLite keeps the order of a cross join: without it, all clients of the firm would
 * be read for each person. An offset keeps PostgreSQL from hashing them all first.
 */
async function whoActFor(actor: Actor, searchTerm: string): Promise<Sought> {
  const found = await findsClient(searchTerm);
  const { few, some } = await ownClientsWith(actor, searchTerm);
  const invitations = sql<
    Tables['invitations']
  >`(select * from invitations where ${await isInvitedTo(actor, found)})`;
  if (few) return { ...EVERYONE, contacts: peopleOfClients(few), invitations, areFew: true };
  const actsForOne = (table: 'client_contacts' | 'staff_clients') =>
    sql`exists (select 1 from ${sql.table(table)} as links cross join clients
      where clients.client_id = links.client_id and links.contact_id = people.id and ${actsForClient(actor)} and ${found} limit 1 offset 0)`;
  return {
    ...EVERYONE,
    invitations,
    isOf: sql<SqlBool>`(people.is_invitation = 1 or ${actsForOne('client_contacts')} or (people.role <> 'contact' and ${actsForOne('staff_clients')}))`,
    // staff with assigned clients rarely see as many people as are counted
    some: actor.hasAllClients ? some.map(peopleOfClients) : [],
  };
}

/** The people of clients. The index has the names of contacts, and no one who was removed. */
const peopleOfClients = (clients: Awaited<ReturnType<typeof ownClientsWith>>['some'][number]) =>
  sql<Listed>`(select ${LOOKED_UP}, case when found.name_key = '' then ${columnOf('name_key')} else found.name_key end as name_key,
      cast(case when found.name_key = '' then ${columnOf('staff')} else 0 end as smallint) as staff, cast(null as bigint) as removed_at
    from (select distinct people.contact_id, people.name_key, clients.company_id from ${clients} as clients cross join client_search_people as people
      where people.client_key = clients.client_key) as found)`;

const MAX_FOUND = 1000;

/** The condition that a pending invitation names a client with which this is true. */
async function isInvitedTo(actor: Actor, condition: Expression<SqlBool>): Promise<Expression<SqlBool>> {
  const pending = await pendingClients(actor);
  const ids = [...new Set(pending.flatMap(({ clientIds }) => clientIds))];
  const named = new Set<string>();
  for (const some of inBatches(ids))
    for (const { client_id: id } of await clientIdsOf(actor)
      .where('clients.client_id', 'in', some)
      .where(condition)
      .execute())
      named.add(id);
  const found = pending.flatMap(({ id, clientIds }) => (clientIds.some((one) => named.has(one)) ? [id] : []));
  return found.length === 0
    ? sql<SqlBool>`1 = 0`
    : sql<SqlBool>`invitations.invitation_id in (${sql.join(found.slice(0, MAX_FOUND))})`;
}
