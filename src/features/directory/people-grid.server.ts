import { sql, type Expression, type SqlBool } from 'kysely';
import { defineGrid, type CellContext } from '#features/grids/define.server.ts';
import { isOwnPending, listPending } from '#features/invitations/invitations.server.ts';
import type { Invitation } from '#features/invitations/invitations.ts';
import { lastSeenOf } from '#features/people/last-seen.server.ts';
import { actsForClient, clientIdsOf, isOwnContact } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { now } from '#platform/clock.server.ts';
import { db, fold } from '#platform/database.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { blindIndex } from '#platform/settings.server.ts';
import type { KeysOf } from '#platform/translations.server.ts';
import { PERSON_STATES, type ListedPerson, type PersonState } from './directory.ts';
import { ROLE_NAMES, STATE_NAMES } from './roles.ts';

type Context = CellContext<KeysOf<'directory'>>;

/** The people of the firm in one list: contacts, staff, and those whose invitation is not accepted yet. */
export const peopleGrid = defineGrid({
  name: 'people',
  namespace: 'directory',
  path: '/api/staff/v1/grids/people',
  caption: 'title',
  submit: 'filterSubmit',
  empty: 'noneFound',
  noMatch: 'noneFound',
  from: (actor) => {
    if (!actor.staff) throw new PortalError('FORBIDDEN');
    return db().selectFrom(peopleOf(actor));
  },
  id: sql.ref('people.id'),
  columns: {
    name: {
      label: 'columnName',
      type: 'text',
      sql: sql.ref('people.name_key'),
      isRowHeader: true,
      cell: ({ id, isInvitation, fullName, emailAddress }, { pathTo }) => ({
        text: fullName || emailAddress,
        href: pathTo(`staff/people/${id}${isInvitation ? '/clients' : ''}`),
        note: emailAddress,
      }),
    },
    email: {
      label: 'email',
      type: 'text',
      isHidden: true,
      textStyle: 'meta',
      cell: ({ emailAddress }) => emailAddress,
    },
    role: {
      label: 'columnRole',
      type: 'choice',
      sql: sql.ref('people.role'),
      isSortable: false,
      isGroupable: true,
      textStyle: 'phrase',
      options: [
        ['contact', 'roleContact'],
        ['owner', 'roleOwner'],
        ['manager', 'roleManager'],
        ['member', 'roleMember'],
        ['reader', 'roleReader'],
      ],
      cell: ({ role }, { t }) => t(role === undefined ? 'roleContact' : ROLE_NAMES[role]),
    },
    clients: { label: 'columnClients', type: 'text', isWide: true, cell: clientsCell },
    state: {
      label: 'columnState',
      type: 'choice',
      sql: stateOfRow(),
      isSortable: false,
      isGroupable: true,
      textStyle: 'phrase',
      options: PERSON_STATES.map((state) => [state, STATE_NAMES[state]] as const),
      cell: ({ state, isUndelivered }, { t }) => t(isUndelivered ? 'stateUndelivered' : STATE_NAMES[state]),
    },
    lastSeenAt: {
      label: 'columnLastSeen',
      type: 'time',
      textStyle: 'meta',
      cell: ({ lastSeenAt: at }) => (at === undefined ? undefined : { text: '', at }),
    },
  },
  orderBy: [{ by: 'name', dir: 'asc' }],
  search: { label: 'search', where: named },
  fields: {
    who: {
      kind: 'select',
      label: 'filterWho',
      options: [
        ['', 'everybody'],
        ['contacts', 'contacts'],
        ['staff', 'staff'],
      ],
      where: (_, who) =>
        who === 'staff' ? sql<SqlBool>`people.role <> 'contact'` : sql<SqlBool>`people.role = 'contact'`,
    },
    state: {
      kind: 'select',
      label: 'filterState',
      options: [
        ['', 'allStates'],
        ['pending', 'statePending'],
        ...PERSON_STATES.map((state) => [state, STATE_NAMES[state]] as const),
      ],
      where: (_, state) =>
        state === 'pending'
          ? sql<SqlBool>`people.is_invitation = 1`
          : sql<SqlBool>`${stateOfRow()} = ${state}`,
    },
    clientName: { kind: 'text', label: 'filterClient', maxlength: 200, autocomplete: 'off', where: ofClient },
  },
  rows: described,
  idOf: ({ id }) => id,
  nameOf: ({ fullName, emailAddress }) => fullName || emailAddress,
  actions: ({ id, role, state, isInvitation }, { access: { permissions } }, { t, pathTo }) => {
    if (isInvitation || role !== undefined) return [];
    return [
      ...(permissions.has('ViewAs') && state !== 'suspended'
        ? [{ label: t('viewAs'), href: pathTo(`staff/view-as/${id}`) }]
        : []),
    ];
  },
});

/** Contacts and staff, and the invitations that the actor may manage, each in the order of an index. */
const peopleOf = (actor: Actor) =>
  db()
    .selectFrom('contacts')
    .select([
      'contacts.contact_id as id',
      'contacts.company_id',
      'contacts.full_name as name',
      sql<string>`lower(contacts.full_name)`.as('name_key'),
      sql<string>`case when contacts.staff = 0 then 'contact' when contacts.role = '' then 'member' else contacts.role end`.as(
        'role',
      ),
      'contacts.prism_guid',
      sql<string>`''`.as('email_key'),
      sql<string>`''`.as('client_ids'),
      sql<number>`0`.as('is_invitation'),
      sql<string>`case when contacts.suspended_at is null then '' else 'suspended' end`.as('known_state'),
    ])
    .where(isOwnContact(actor))
    .unionAll(
      db()
        .selectFrom('invitations')
        .select([
          'invitations.invitation_id as id',
          'invitations.company_id',
          sql<string>`invitations.first_name || ' ' || invitations.last_name`.as('name'),
          sql<string>`lower(invitations.first_name || ' ' || invitations.last_name)`.as('name_key'),
          sql<string>`case when invitations.role = '' then 'contact' else invitations.role end`.as('role'),
          sql<string>`''`.as('prism_guid'),
          'invitations.email_key',
          'invitations.client_ids',
          sql<number>`1`.as('is_invitation'),
          sql<string>`case when invitations.sent_at = 0 then 'prepared' when invitations.expires_at <= ${now()} then 'expired' else 'invited' end`.as(
            'known_state',
          ),
        ])
        .where(isOwnPending(actor)),
    )
    .as('people');

/** The state of a row: people who have not done anything yet are new. */
function stateOfRow(): Expression<string> {
  return sql<string>`case when people.known_state <> '' then people.known_state
    when exists (select 1 from audit where audit.company_id = people.company_id and audit.actor = people.id)
    then 'active' else 'new' end`;
}

const MAX_FOUND = 1000;

/**
 * Search words match anywhere in a name, or a whole email address. Names are compared folded, which SQL alone cannot
 * do for every script: a firm has thousands of contacts, not millions.
 */
async function named(actor: Actor, term: string): Promise<Expression<SqlBool>> {
  if (term.includes('@')) {
    const key = await blindIndex(fold(term));
    const users = db().selectFrom('users').select('users.prism_guid').where('users.email_key', '=', key);
    return sql<SqlBool>`(people.email_key = ${key} or people.prism_guid in ${users})`;
  }
  const rows = await db().selectFrom(peopleOf(actor)).select(['people.id', 'people.name']).execute();
  const wanted = fold(term);
  const found = rows.filter(({ name }) => fold(name).includes(wanted)).slice(0, MAX_FOUND);
  return found.length === 0
    ? sql<SqlBool>`1 = 0`
    : sql<SqlBool>`people.id in (${sql.join(found.map(({ id }) => id))})`;
}

/** The condition that somebody acts for a client, or is invited to one, whose name or number contains the words. */
function ofClient(actor: Actor, words: string): Expression<SqlBool> {
  const like = `%${fold(words).replace(/[\\%_]/g, '\\$&')}%`;
  const clients = clientIdsOf(actor).where((e) =>
    e.or([
      sql<boolean>`clients.name_key like ${like} escape '\\'`,
      sql<boolean>`clients.code_key like ${like} escape '\\'`,
    ]),
  );
  const isInvited = sql<SqlBool>`exists (select 1 from ${clients} as named
    where people.client_ids like '%"' || named.client_id || '"%')`;
  return sql<SqlBool>`(people.id in (select contact_id from client_contacts where client_id in ${clients})
    or people.id in (select contact_id from staff_clients where client_id in ${clients})
    or (people.is_invitation = 1 and ${isInvited}))`;
}

const SHOWN_CLIENTS = 1;

function clientsCell({ clients }: ListedPerson, { t }: Context): string {
  const more = clients.length - SHOWN_CLIENTS;
  const names = clients.slice(0, SHOWN_CLIENTS).join(', ');
  return more > 0 ? `${names} ${t('moreClients', { number: more })}` : names;
}

async function described(actor: Actor, found: readonly (string | number)[]): Promise<ListedPerson[]> {
  const ids = found.map(String);
  const people = await db()
    .selectFrom('contacts')
    .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
    .select([
      'contacts.contact_id as id',
      'contacts.full_name',
      'contacts.role',
      'contacts.staff',
      'contacts.suspended_at',
      'users.prism_guid',
      'users.email',
    ])
    .where('contacts.contact_id', 'in', ids)
    .execute();
  const invitations = await listPending(actor, ids);
  const clients = await clientNames(actor, ids, invitations);
  const seen = await lastSeenOf(actor, ids);
  return [
    ...people.map((row): ListedPerson => {
      const lastSeenAt = seen.get(row.id);
      return {
        id: row.id,
        isInvitation: false,
        fullName: row.full_name,
        emailAddress: decryptFrom('users.email', row.prism_guid, row.email),
        role: row.staff === 0 ? undefined : row.role === '' ? 'member' : row.role,
        clients: clients.get(row.id) ?? [],
        lastSeenAt,
        state: row.suspended_at !== null ? 'suspended' : lastSeenAt === undefined ? 'new' : 'active',
        isUndelivered: false,
      };
    }),
    ...invitations.map((invitation): ListedPerson => ({
      id: invitation.invitationId,
      isInvitation: true,
      fullName: `${invitation.firstName} ${invitation.lastName}`.trim(),
      emailAddress: invitation.emailAddress,
      role: invitation.role,
      clients: clients.get(invitation.invitationId) ?? [],
      lastSeenAt: undefined,
      state: stateOf(invitation),
      isUndelivered: invitation.mail === 'failed',
    })),
  ];
}

const stateOf = ({ state }: Invitation): PersonState =>
  state === 'prepared' ? 'prepared' : state === 'expired' ? 'expired' : 'invited';

/** The names of the clients of each person, those that the actor acts for. */
async function clientNames(
  actor: Actor,
  ids: readonly string[],
  invitations: readonly Invitation[],
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
  const invitedTo = invitations.flatMap(({ clientIds }) => clientIds);
  if (invitedTo.length === 0) return names;
  const rows = await clientIdsOf(actor)
    .select('clients.name')
    .where('clients.client_id', 'in', invitedTo)
    .orderBy('clients.name_key')
    .execute();
  for (const { invitationId, clientIds } of invitations)
    for (const { client_id: clientId, name } of rows)
      if (clientIds.includes(clientId)) add(invitationId, name);
  return names;
}
