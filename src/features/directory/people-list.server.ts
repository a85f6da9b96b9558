import { sql } from 'kysely';
import { listPending } from '#features/invitations/invitations.server.ts';
import type { Invitation } from '#features/invitations/invitations.ts';
import { actsForClient, clientIdsOf, isOwnContact } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { db, fold } from '#platform/database.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { blindIndex } from '#platform/settings.server.ts';
import type { ListedPerson, PeopleQuery, PersonState } from './directory.ts';
import { lastSeenOf } from './last-seen.server.ts';

const PAGE = 25;

export interface PeoplePage {
  people: ListedPerson[];
  total: number;
  pageSize: number;
  /** True if the firm has nobody but the reader: then the page says how to begin. */
  isEmpty: boolean;
}

type Found = { name: string; id: string } & ({ invitation: Invitation } | { invitation?: undefined });

/**
 * Lists the people of the actor's firm by name, 25 a page: contacts, staff, and those whose invitation is not accepted
 * yet. Search words match anywhere in a name, or a whole email address. FORBIDDEN for contacts.
 */
export async function listPeople(actor: Actor, query: PeopleQuery): Promise<PeoplePage> {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  const term = query.searchTerm.trim();
  const found: Found[] = [...(await contactsFor(actor, query, term)), ...(await invited(actor, query, term))];
  const sorted = found
    .map((one) => ({ one, key: fold(one.name) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.one.id < b.one.id ? -1 : 1))
    .map(({ one }) => one);
  const start = (query.pageNum - 1) * PAGE;
  const people = await described(actor, sorted.slice(start, start + PAGE));
  const isFiltered = term !== '' || query.who !== '' || query.state !== '' || query.clientName !== '';
  return { people, total: found.length, pageSize: PAGE, isEmpty: !isFiltered && found.length <= 1 };
}

const isInvitationState = (state: PeopleQuery['state']): boolean =>
  state === 'prepared' || state === 'invited' || state === 'expired';

/**
 * Names are compared folded, which SQL alone cannot do for every script: a firm has thousands of contacts,
 * not millions.
 */
async function contactsFor(
  actor: Actor,
  { who, state, clientName }: PeopleQuery,
  term: string,
): Promise<Found[]> {
  if (isInvitationState(state)) return [];
  const email = term.includes('@') ? await blindIndex(fold(term)) : undefined;
  const wasHere = sql<boolean>`exists (select 1 from audit where audit.company_id = contacts.company_id
    and audit.actor = contacts.contact_id)`;
  const rows = await db()
    .selectFrom('contacts')
    .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
    .select(['contacts.contact_id as id', 'contacts.full_name as name'])
    .where(isOwnContact(actor))
    .$if(who !== '', (people) => people.where('contacts.staff', '=', who === 'staff' ? 1 : 0))
    .$if(email !== undefined, (people) => people.where('users.email_key', '=', email ?? ''))
    .$if(state === 'suspended', (people) => people.where('contacts.suspended_at', 'is not', null))
    .$if(state === 'active', (people) => people.where('contacts.suspended_at', 'is', null).where(wasHere))
    .$if(state === 'new', (people) =>
      people.where('contacts.suspended_at', 'is', null).where((e) => e.not(wasHere)),
    )
    .$if(clientName.trim() !== '', (people) =>
      people.where((e) =>
        e.or(
          (['client_contacts', 'staff_clients'] as const).map((table) =>
            e(
              'contacts.contact_id',
              'in',
              db()
                .selectFrom(table)
                .select('contact_id')
                .where('client_id', 'in', clientsNamed(actor, clientName)),
            ),
          ),
        ),
      ),
    )
    .execute();
  const wanted = fold(term);
  return email !== undefined ? rows : rows.filter(({ name }) => fold(name).includes(wanted));
}

/** The actor's clients whose name or number contains the words. */
const clientsNamed = (actor: Actor, words: string) => {
  const like = `%${fold(words.trim()).replace(/[\\%_]/g, '\\$&')}%`;
  return clientIdsOf(actor).where((e) =>
    e.or([
      sql<boolean>`clients.name_key like ${like} escape '\\'`,
      sql<boolean>`clients.code_key like ${like} escape '\\'`,
    ]),
  );
};

async function invited(
  actor: Actor,
  { who, state, clientName }: PeopleQuery,
  term: string,
): Promise<Found[]> {
  if (state !== '' && !isInvitationState(state)) return [];
  const named =
    clientName.trim() === ''
      ? undefined
      : new Set((await clientsNamed(actor, clientName).execute()).map(({ client_id: id }) => id));
  const wanted = fold(term);
  return (await listPending(actor))
    .filter((one) => state === '' || stateOf(one) === state)
    .filter(({ role }) => who === '' || (who === 'staff') === (role !== undefined))
    .filter(({ clientIds }) => named === undefined || clientIds.some((id) => named.has(id)))
    .map((invitation) => ({ id: invitation.invitationId, name: nameOf(invitation), invitation }))
    .filter(({ name, invitation }) =>
      term.includes('@') ? fold(invitation.emailAddress) === wanted : fold(name).includes(wanted),
    );
}

const nameOf = ({ firstName, lastName }: Invitation): string => `${firstName} ${lastName}`.trim();

const stateOf = ({ state }: Invitation): PersonState =>
  state === 'prepared' ? 'prepared' : state === 'expired' ? 'expired' : 'invited';

async function described(actor: Actor, found: readonly Found[]): Promise<ListedPerson[]> {
  const ids = found.map(({ id }) => id);
  if (ids.length === 0) return [];
  const people = await db()
    .selectFrom('contacts')
    .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
    .select([
      'contacts.contact_id',
      'contacts.role',
      'contacts.suspended_at',
      'users.prism_guid',
      'users.email',
    ])
    .where('contacts.contact_id', 'in', ids)
    .execute();
  const clients = await clientNames(actor, ids, found);
  const seen = await lastSeenOf(actor, ids);
  return found.map(({ id, name, invitation }) => {
    const common = { id, fullName: name, clients: clients.get(id) ?? [], lastSeenAt: seen.get(id) };
    if (invitation)
      return {
        ...common,
        isInvitation: true,
        emailAddress: invitation.emailAddress,
        role: invitation.role,
        state: stateOf(invitation),
        isUndelivered: invitation.mail === 'failed',
      };
    const row = people.find((one) => one.contact_id === id);
    const isNew = common.lastSeenAt === undefined;
    return {
      ...common,
      isInvitation: false,
      emailAddress: row ? decryptFrom('users.email', row.prism_guid, row.email) : '',
      role: row?.role === '' ? undefined : row?.role,
      state:
        row?.suspended_at !== null ? ('suspended' as const) : isNew ? ('new' as const) : ('active' as const),
      isUndelivered: false,
    };
  });
}

/** The names of the clients of each person, those that the actor acts for. */
async function clientNames(
  actor: Actor,
  ids: readonly string[],
  found: readonly Found[],
): Promise<Map<string, string[]>> {
  const names = new Map<string, string[]>();
  const add = (id: string, name: string): void => void names.set(id, [...(names.get(id) ?? []), name]);
  for (const table of ['client_contacts', 'staff_clients'] as const) {
    const rows = await db()
      .selectFrom(table)
      .innerJoin('clients', 'clients.client_id', `${table}.client_id`)
      .select([`${table}.contact_id`, 'clients.name'])
      .where(`${table}.contact_id`, 'in', ids)
      .where(actsForClient(actor))
      .orderBy('clients.name_key')
      .execute();
    for (const { contact_id: id, name } of rows) add(id, name);
  }
  const invitedTo = found.flatMap(({ invitation }) => invitation?.clientIds ?? []);
  if (invitedTo.length === 0) return names;
  const rows = await db()
    .selectFrom('clients')
    .select(['clients.client_id', 'clients.name'])
    .where('clients.client_id', 'in', invitedTo)
    .where(actsForClient(actor))
    .orderBy('clients.name_key')
    .execute();
  for (const { id, invitation } of found)
    for (const { client_id: clientId, name } of rows)
      if (invitation?.clientIds.includes(clientId)) add(id, name);
  return names;
}
