import { sql, type Expression, type SqlBool } from 'kysely';
import { defineGrid, type CellContext } from '#features/base/grids/define.server.ts';
import { listPending } from '#features/identity/invitations/invitations.server.ts';
import type { Invitation } from '#features/identity/invitations/invitations.ts';
import { lastSeenOf } from '#features/base/people/last-seen.server.ts';
import { actsForAssigned, actsForClient, clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import type { Bit } from '#platform/database/schema.server.ts';
import { formatNumber } from '#platform/text/formats.ts';
import { LANGUAGES } from '#platform/text/languages.ts';
import type { KeysOf } from '#platform/text/translations.server.ts';
import type { Chip } from '#ui/chips.ts';
import { PERSON_STATES, type ListedPerson, type PersonState } from './directory.ts';
import { soughtPeople } from './people-search.server.ts';
import { ROLE_NAMES, STATE_NAMES } from './roles.ts';

const STATE_CHIPS: Record<PersonState, Chip> = {
  prepared: { tone: 'neutral', icon: 'circle-dashed' },
  invited: { tone: 'info', icon: 'mail' },
  expired: { tone: 'warning', icon: 'clock' },
  new: { tone: 'neutral', icon: 'circle-dashed' },
  active: { tone: 'neutral', icon: 'circle-check' },
  suspended: { tone: 'neutral', icon: 'ban' },
};

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
  from: async (actor, { searchTerm, fields }) => {
    if (!actor.staff) throw new PortalError('FORBIDDEN');
    return soughtPeople(actor, { searchTerm, fields });
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
        ...(fullName !== '' && { note: emailAddress }),
      }),
    },
    email: {
      label: 'email',
      type: 'text',
      isHidden: true,
      textStyle: 'person',
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
    clients: { label: 'columnClients', type: 'text', textStyle: 'phrase', cell: clientsCell },
    state: {
      label: 'columnState',
      type: 'choice',
      sql: stateOfRow(),
      isSortable: false,
      isGroupable: true,
      textStyle: 'phrase',
      options: PERSON_STATES.map((state) => [state, STATE_NAMES[state]] as const),
      chip: {},
      cell: ({ state, isUndelivered }, { t }) => ({
        text: t(isUndelivered ? 'stateUndelivered' : STATE_NAMES[state]),
        chip: isUndelivered ? { tone: 'danger', icon: 'circle-alert' } : STATE_CHIPS[state],
      }),
    },
    lastSeenAt: {
      label: 'columnLastSeen',
      type: 'time',
      isMinor: true,
      textStyle: 'meta',
      cell: ({ lastSeenAt: at }) => (at === undefined ? undefined : { text: '', at }),
    },
  },
  orderBy: [{ by: 'name', dir: 'asc' }],
  search: { label: 'search', isInFrom: true },
  fields: {
    who: {
      kind: 'select',
      label: 'filterWho',
      options: [
        ['', 'everybody'],
        ['contacts', 'contacts'],
        ['staff', 'staff'],
      ],
      isInFrom: true,
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
    if (role !== undefined)
      return permissions.has('ManageFirm')
        ? [{ label: t('changeRole'), href: pathTo(`staff/people/${id}/role`) }]
        : [];
    return [
      ...(permissions.has('ViewAs') && state !== 'suspended'
        ? [{ label: t('viewAs'), href: pathTo(`staff/view-as/${id}`) }]
        : []),
      ...(permissions.has('ManageContacts')
        ? [{ label: t('changeClients'), href: pathTo(`staff/people/${id}/clients`) }]
        : []),
    ];
  },
});

/** The state of a row: people who have not done anything yet are new. */
function stateOfRow(): Expression<string> {
  return sql<string>`case when people.known_state <> '' then people.known_state
    when exists (select 1 from audit where audit.company_id = people.company_id and audit.actor = people.id)
    then 'active' else 'new' end`;
}

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
  const clients = await clientsShown(actor, people, invitations);
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

/** The clients of each contact. */
const clientsOfContact = (actor: Actor) =>
  sql`select clients.client_id, clients.name_key from client_contacts as links
    cross join clients where clients.client_id = links.client_id and links.contact_id = contacts.contact_id and ${actsForClient(actor)}`;

/** The clients of each member of staff, who may have many. The order keeps PostgreSQL to the index of the person. */
const clientsOfStaff = (actor: Actor) =>
  sql`select links.client_id, links.client_name_key as name_key from staff_clients as links
    where links.contact_id = contacts.contact_id and ${actsForAssigned(actor)} order by links.client_id`;

/** The clients of each person, those that the actor acts for: the first one's name and how many there are. */
async function clientsShown(
  actor: Actor,
  people: readonly { id: string; staff: Bit }[],
  invitations: readonly Invitation[],
): Promise<Map<string, Shown>> {
  const shown = new Map<string, Shown>();
  const staff = people.filter((one) => one.staff === 1);
  for (const { of, links } of [
    { of: people, links: clientsOfContact(actor) },
    { of: staff, links: clientsOfStaff(actor) },
  ]) {
    if (of.length === 0) continue;
    const few = sql`(${links} limit ${sql.lit(MAX_CLIENTS)}) as few`;
    const rows = await db()
      .selectFrom('contacts')
      .select([
        'contact_id',
        sql<number>`(select count(*) from ${few})`.as('count'),
        sql<
          string | null
        >`(select name from clients where client_id = (select client_id from ${few} order by name_key limit 1))`.as(
          'name',
        ),
      ])
      .where(
        'contact_id',
        'in',
        of.map(({ id }) => id),
      )
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
