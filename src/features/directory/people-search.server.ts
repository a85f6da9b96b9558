import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import { fewClientIdsWith, findsClient } from '#features/clients/client-search.server.ts';
import { contains } from '#features/grids/filters.server.ts';
import type { GridQuery } from '#features/grids/grids.ts';
import { rowsWithRareText } from '#features/grids/rare-texts.server.ts';
import { isOwnPending, pendingClients } from '#features/invitations/invitations.server.ts';
import { actsForClient, clientIdsOf, isOwnContact } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { now } from '#platform/clock.server.ts';
import { contactIdsByText, db, fold, inBatches } from '#platform/database.server.ts';
import type { Tables } from '#platform/schema.server.ts';
import { blindIndex } from '#platform/settings.server.ts';

/*
 * The people that a search and the filters by role and client find, in a firm of any size (docs/decisions/0059): all are
 * served in the order of the list.
 */

/**
 * Contacts and staff, as the table `contacts`, and pending invitations, as `invitations`, if few are looked up; and
 * conditions of the list, `people`, if it is read in its order.
 */
interface Sought {
  contacts: RawBuilder<Tables['contacts']>;
  invitations: RawBuilder<Tables['invitations']>;
  where: readonly Expression<SqlBool>[];
}

const EVERYONE: Sought = { contacts: sql`contacts`, invitations: sql`invitations`, where: [] };

/** The people that a search and filters find, as the table `people`. */
export async function soughtPeople(
  actor: Actor,
  {
    searchTerm,
    fields: { clientName = '', who = '' },
  }: Pick<GridQuery, 'searchTerm'> & { fields: Partial<Record<string, string>> },
) {
  const ofClient = clientName === '' ? EVERYONE : await whoActFor(actor, clientName);
  const { where, ...tables } = searchTerm === '' ? ofClient : await withName(actor, ofClient, searchTerm);
  return db()
    .selectFrom(peopleOf(actor, tables, who))
    .where(isListed(actor))
    .$if(where.length > 0, (people) => people.where((e) => e.and(where)));
}

/**
 * Contacts and staff, and the invitations that the actor may manage, each in the order of an index. Both engines merge the
 * two orders: SQLite only if the columns of both have the same affinity, PostgreSQL only if the contacts have no conditions
 * of their own, which are therefore some of the whole (`isListed`).
 */
const peopleOf = (actor: Actor, { contacts, invitations }: Omit<Sought, 'where'>, who: string) =>
  db()
    .selectFrom(contacts.as('contacts'))
    .select([
      'contacts.contact_id as id',
      'contacts.company_id',
      'contacts.name_key',
      sql<string>`case when contacts.staff = 0 then 'contact' when contacts.role = '' then 'member' else contacts.role end`.as(
        'role',
      ),
      sql<number>`0`.as('is_invitation'),
      sql<string>`case when contacts.suspended_at is null then '' else 'suspended' end`.as('known_state'),
      'contacts.removed_at',
    ])
    .$if(!actor.hasAllClients, (rows) => rows.where(isOwnContact(actor)))
    // literals: SQLite uses the index of staff for no parameter
    .$if(who !== '', (rows) =>
      rows.where('contacts.staff', '=', who === 'staff' ? sql.lit<1>(1) : sql.lit<0>(0)),
    )
    .unionAll(
      db()
        .selectFrom(invitations.as('invitations'))
        .select([
          'invitations.invitation_id as id',
          'invitations.company_id',
          'invitations.name_key',
          sql<string>`case when invitations.role = '' then 'contact' else invitations.role end`.as('role'),
          sql<number>`1`.as('is_invitation'),
          sql<string>`case when invitations.sent_at = 0 then 'prepared' when invitations.expires_at <= ${now()} then 'expired' else 'invited' end`.as(
            'known_state',
          ),
          sql<number | null>`cast(null as bigint)`.as('removed_at'),
        ])
        .where(isOwnPending(actor))
        .$if(who !== '', (rows) => rows.where('invitations.role', who === 'staff' ? '<>' : '=', ''))
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

/** The columns of a contact that the list reads. The planner might prefer the index of names, which `|| ''` rules out. */
const LOOKED_UP = sql`contact_id, company_id || '' as company_id, full_name, name_key, staff, role, prism_guid, suspended_at, removed_at`;

/** Narrows people to those with a text anywhere in their name, or with an exact email address. */
async function withName(
  { companyId }: Actor,
  { contacts, invitations, where }: Sought,
  term: string,
): Promise<Sought> {
  if (term.includes('@')) {
    const key = await blindIndex(fold(term));
    return {
      contacts: sql`(select ${LOOKED_UP} from ${contacts} as contacts where prism_guid = (select prism_guid from users where email_key = ${key}))`,
      invitations: sql`(select * from ${invitations} as invitations where email_key = ${key})`,
      where,
    };
  }
  const text = fold(term);
  const few = await rowsWithRareText(text, {
    column: sql.ref('name_key'),
    list: sql`from contacts where company_id = ${companyId} and removed_at is null order by name_key, contact_id`,
    find: (max) => contactIdsByText(companyId, text, max),
  });
  return {
    contacts: few
      ? sql`(select ${LOOKED_UP} from ${contacts} as contacts where contact_id in (${few}))`
      : contacts,
    invitations,
    where: [...where, contains(sql.ref('people.name_key'), text)],
  };
}

/**
 * Those who act for a client that a search finds, or are invited to one. Few clients are found first, and then their
 * people; of a common text, the list of people is read in its order until a page is full. SQLite keeps the order of a
 * cross join: without it, all clients of the firm would be read for each person. An offset keeps PostgreSQL from hashing
 * them all first.
 */
async function whoActFor(actor: Actor, searchTerm: string): Promise<Sought> {
  const found = await findsClient(searchTerm);
  const few = await fewClientIdsWith(actor, searchTerm);
  const invitations = sql<
    Tables['invitations']
  >`(select * from invitations where ${await isInvitedTo(actor, found)})`;
  if (few) {
    const actsForFew = sql`contact_id in (with few as materialized ${few}
      select contact_id from client_contacts where client_id in (select client_id from few)
      union select contact_id from staff_clients where client_id in (select client_id from few))`;
    return {
      contacts: sql`(select ${LOOKED_UP} from contacts where ${actsForFew})`,
      invitations,
      where: [],
    };
  }
  const actsForOne = (table: 'client_contacts' | 'staff_clients') =>
    sql`exists (select 1 from ${sql.table(table)} as links cross join clients
      where clients.client_id = links.client_id and links.contact_id = people.id and ${actsForClient(actor)} and ${found} limit 1 offset 0)`;
  return {
    contacts: EVERYONE.contacts,
    invitations,
    where: [
      sql<SqlBool>`(people.is_invitation = 1 or ${actsForOne('client_contacts')} or (people.role <> 'contact' and ${actsForOne('staff_clients')}))`,
    ],
  };
}

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
