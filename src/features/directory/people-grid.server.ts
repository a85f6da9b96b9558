import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import { fewClientIdsWith, findsClient } from '#features/clients/client-search.server.ts';
import { defineGrid, type CellContext } from '#features/grids/define.server.ts';
import { isOwnPending, listPending, pendingClients } from '#features/invitations/invitations.server.ts';
import type { Invitation } from '#features/invitations/invitations.ts';
import { lastSeenOf } from '#features/people/last-seen.server.ts';
import { actsForClient, clientIdsOf, isOwnContact } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { now } from '#platform/clock.server.ts';
import { db, fold, inBatches } from '#platform/database.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { formatNumber } from '#platform/formats.ts';
import { LANGUAGES } from '#platform/languages.ts';
import type { Tables } from '#platform/schema.server.ts';
import { blindIndex } from '#platform/settings.server.ts';
import type { KeysOf } from '#platform/translations.server.ts';
import { PERSON_STATES, type ListedPerson, type PersonState } from './directory.ts';
import { ROLE_NAMES, STATE_NAMES } from './roles.ts';

type Context = CellContext<KeysOf<'directory'>>;

/** The form of the page that the checkboxes and buttons of rows belong to. */
export const SELECTION_FORM = 'people';

/** The people of the firm in one list: contacts, staff, and those whose invitation is not accepted yet. */
export const peopleGrid = defineGrid({
  name: 'people',
  namespace: 'directory',
  path: '/api/staff/v1/grids/people',
  caption: 'title',
  submit: 'filterSubmit',
  empty: 'noneFound',
  noMatch: 'noneFound',
  from: async (actor, { fields: { clientName = '' } }) => {
    if (!actor.staff) throw new PortalError('FORBIDDEN');
    return db().selectFrom(
      peopleOf(actor, clientName === '' ? undefined : await whoActFor(actor, clientName)),
    );
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
    clientName: { kind: 'text', label: 'filterClient', maxlength: 200, autocomplete: 'off', isInFrom: true },
  },
  rows: described,
  idOf: ({ id }) => id,
  nameOf: ({ fullName, emailAddress }) => fullName || emailAddress,
  actions: ({ id, role, state, isInvitation }, { access: { permissions } }, { t, pathTo }) => {
    if (isInvitation)
      return [
        {
          label: t(state === 'prepared' ? 'send' : 'resend'),
          name: 'resend',
          value: id,
          form: SELECTION_FORM,
        },
      ];
    if (role !== undefined) return [];
    return [
      ...(permissions.has('ViewAs') && state !== 'suspended'
        ? [{ label: t('viewAs'), href: pathTo(`staff/view-as/${id}`) }]
        : []),
    ];
  },
});

/**
 * Contacts and staff, and the invitations that the actor may manage, each in the order of an index. SQLite merges the
 * two orders only if the columns of both have the same affinity.
 */
const peopleOf = (actor: Actor, { contacts, invitations }: Those = EVERYONE) =>
  db()
    .selectFrom(contacts.as('contacts'))
    .select([
      'contacts.contact_id as id',
      'contacts.company_id',
      sql<string>`contacts.full_name || ''`.as('name'),
      sql<string>`lower(contacts.full_name)`.as('name_key'),
      sql<string>`case when contacts.staff = 0 then 'contact' when contacts.role = '' then 'member' else contacts.role end`.as(
        'role',
      ),
      'contacts.prism_guid',
      sql<string>`cast('' as text)`.as('email_key'),
      sql<number>`0`.as('is_invitation'),
      sql<string>`case when contacts.suspended_at is null then '' else 'suspended' end`.as('known_state'),
    ])
    .where(isOwnContact(actor))
    .unionAll(
      db()
        .selectFrom(invitations.as('invitations'))
        .select([
          'invitations.invitation_id as id',
          'invitations.company_id',
          sql<string>`invitations.first_name || ' ' || invitations.last_name`.as('name'),
          sql<string>`lower(invitations.first_name || ' ' || invitations.last_name)`.as('name_key'),
          sql<string>`case when invitations.role = '' then 'contact' else invitations.role end`.as('role'),
          sql<string>`cast('' as text)`.as('prism_guid'),
          'invitations.email_key',
          sql<number>`1`.as('is_invitation'),
          sql<string>`case when invitations.sent_at = 0 then 'prepared' when invitations.expires_at <= ${now()} then 'expired' else 'invited' end`.as(
            'known_state',
          ),
        ])
        .where(isOwnPending(actor))
        // the owner of a new firm is its contact already, and joins by an invitation of their own
        .where(
          sql<boolean>`not exists (select 1 from contacts as inviters join users on users.prism_guid = inviters.prism_guid
            where inviters.contact_id = invitations.invited_by and users.email_key = invitations.email_key)`,
        ),
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
  const found = rows.filter(({ name }) => fold(name).includes(wanted));
  return isOneOf(
    'people.id',
    found.map(({ id }) => id),
  );
}

/** Contacts and staff, as the table `contacts`, and pending invitations, as `invitations`. */
interface Those {
  contacts: RawBuilder<Tables['contacts']>;
  invitations: RawBuilder<Tables['invitations']>;
}

const EVERYONE: Those = { contacts: sql`contacts`, invitations: sql`invitations` };

/**
 * Those who act for a client that a search finds, or are invited to one. Few clients are found first, and then their
 * people; of a common text, the list of people is read in its order until a page is full. SQLite keeps the order of a
 * cross join: without it, all clients of the firm would be read for each person. An offset keeps PostgreSQL from hashing
 * them all first.
 */
async function whoActFor(actor: Actor, searchTerm: string): Promise<Those> {
  const found = await findsClient(searchTerm);
  const few = await fewClientIdsWith(actor, searchTerm);
  const actsForFew = sql`contact_id in (with few as materialized ${few}
    select contact_id from client_contacts where client_id in (select client_id from few)
    union select contact_id from staff_clients where client_id in (select client_id from few))`;
  const actsForOne = (table: 'client_contacts' | 'staff_clients') =>
    sql`exists (select 1 from ${sql.table(table)} as links cross join clients
      where clients.client_id = links.client_id and links.contact_id = contacts.contact_id and ${actsForClient(actor)} and ${found} limit 1 offset 0)`;
  return {
    // few are not looked for in the index of names
    contacts: few
      ? sql`(select contact_id, company_id || '' as company_id, full_name, staff, role, prism_guid, suspended_at, removed_at
          from contacts where ${actsForFew})`
      : sql`(select * from contacts where ${actsForOne('client_contacts')} or (contacts.staff = 1 and ${actsForOne('staff_clients')}))`,
    invitations: sql`(select * from invitations where ${await isInvitedTo(actor, found)})`,
  };
}

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
  const found = pending.filter(({ clientIds }) => clientIds.some((id) => named.has(id)));
  return isOneOf(
    'invitations.invitation_id',
    found.map(({ id }) => id),
  );
}

/** The condition that this is one of the first thousand ids. */
const isOneOf = (column: string, ids: readonly string[]): Expression<SqlBool> =>
  ids.length === 0
    ? sql<SqlBool>`1 = 0`
    : sql<SqlBool>`${sql.ref(column)} in (${sql.join(ids.slice(0, MAX_FOUND))})`;

/** Of a person with more clients, only so many are counted, and the first of these is named. */
const MAX_CLIENTS = 1000;

function clientsCell({ clients: { first, count } }: ListedPerson, { lang, t }: Context): string {
  if (count <= 1) return first;
  const more = formatNumber(LANGUAGES[lang], count - 1);
  return `${first} ${t('moreClients', { number: count < MAX_CLIENTS ? more : `${more}+` })}`;
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
  const clients = await clientsShown(actor, ids, invitations);
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
        clients: clients.get(row.id) ?? NONE,
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
      clients: clients.get(invitation.invitationId) ?? NONE,
      lastSeenAt: undefined,
      state: stateOf(invitation),
      isUndelivered: invitation.mail === 'failed',
    })),
  ];
}

const stateOf = ({ state }: Invitation): PersonState =>
  state === 'prepared' ? 'prepared' : state === 'expired' ? 'expired' : 'invited';

type Shown = ListedPerson['clients'];
const NONE: Shown = { first: '', count: 0 };

/** The clients of each person, those that the actor acts for: the first one's name and how many there are. */
async function clientsShown(
  actor: Actor,
  ids: readonly string[],
  invitations: readonly Invitation[],
): Promise<Map<string, Shown>> {
  const shown = new Map<string, Shown>();
  for (const table of ['client_contacts', 'staff_clients'] as const) {
    const links = sql`(select clients.name, clients.name_key from ${sql.table(table)} as links
      cross join clients where clients.client_id = links.client_id and links.contact_id = contacts.contact_id and ${actsForClient(actor)} limit ${sql.lit(MAX_CLIENTS)}) as few`;
    const rows = await db()
      .selectFrom('contacts')
      .select([
        'contact_id',
        sql<number>`(select count(*) from ${links})`.as('count'),
        sql<string | null>`(select name from ${links} order by name_key limit 1)`.as('name'),
      ])
      .where('contact_id', 'in', ids)
      .execute();
    for (const { contact_id: id, count, name } of rows)
      if (name !== null) shown.set(id, { first: name, count: Number(count) });
  }
  const invitedTo = [...new Set(invitations.flatMap(({ clientIds }) => clientIds))];
  if (invitedTo.length === 0) return shown;
  const rows = await clientIdsOf(actor)
    .select('clients.name')
    .where('clients.client_id', 'in', invitedTo)
    .orderBy('clients.name_key')
    .execute();
  for (const { invitationId, clientIds } of invitations) {
    const names = rows.flatMap(({ client_id: id, name }) => (clientIds.includes(id) ? [name] : []));
    shown.set(invitationId, { first: names[0] ?? '', count: names.length });
  }
  return shown;
}
