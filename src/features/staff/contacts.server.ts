import { sql } from 'kysely';
import { defineGrid } from '#features/grids/define.server.ts';
import { actsForClient, isOwnContact } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { db, fold } from '#platform/database.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import { blindIndex } from '#platform/settings.server.ts';
import { translationsFor } from '#platform/translations.server.ts';
import type { ListedContact } from './staff.ts';

const SHOWN_CLIENTS = 3;

/** The contacts of the firm: their clients, and when they were last here. FORBIDDEN for contacts. */
export const contactsGrid = defineGrid({
  name: 'contacts',
  namespace: 'staff',
  path: '/api/staff/v1/grids/contacts',
  caption: 'contactsTable',
  submit: 'searchButton',
  empty: 'noContact',
  noMatch: 'noContact',
  from: (actor) => {
    if (!actor.staff) throw new PortalError('FORBIDDEN');
    return db().selectFrom('contacts').where(isOwnContact(actor)).where('contacts.staff', '=', 0);
  },
  id: sql.ref('contacts.contact_id'),
  columns: {
    name: {
      label: 'columnContact',
      type: 'text',
      sql: sql`lower(contacts.full_name)`,
      isRowHeader: true,
      cell: ({ fullName, emailAddress }) => ({ text: fullName, note: emailAddress }),
    },
    email: {
      label: 'columnEmail',
      type: 'text',
      isHidden: true,
      textStyle: 'meta',
      cell: ({ emailAddress }) => emailAddress,
    },
    clients: {
      label: 'columnClients',
      type: 'text',
      isWide: true,
      cell: ({ clients }, { t }) => {
        const names = clients.slice(0, SHOWN_CLIENTS).join(', ');
        const more = clients.length - SHOWN_CLIENTS;
        return more > 0 ? `${names} ${t('moreClients', { count: more })}` : names;
      },
    },
    lastSeenAt: {
      label: 'columnLastSeen',
      type: 'time',
      textStyle: 'meta',
      isWide: true,
      cell: ({ lastSeenAt }, { t }) =>
        lastSeenAt === undefined ? t('stateNew') : { text: '', at: lastSeenAt },
    },
  },
  orderBy: [{ by: 'name', dir: 'asc' }],
  search: { label: 'searchContacts', where: named },
  rows: described,
  idOf: ({ contactId }) => contactId,
  nameOf: ({ fullName }) => fullName,
  actions: ({ contactId }, { access }, { lang, t, pathTo }) => [
    ...(access.permissions.has('ManageContacts')
      ? [
          {
            label: translationsFor(lang, 'access')('rescueCode'),
            href: pathTo('staff/rescue', { contact: contactId }),
          },
        ]
      : []),
    ...(access.permissions.has('ViewAs')
      ? [{ label: t('viewAs'), href: pathTo(`staff/view-as/${contactId}`) }]
      : []),
  ],
});

const MAX_FOUND = 500;

/**
 * Search words match anywhere in a name, or a whole email address. Names are compared folded, which SQL alone cannot
 * do for every script: a firm has thousands of contacts, not millions.
 */
async function named(actor: Actor, term: string) {
  if (term.includes('@')) {
    const key = await blindIndex(fold(term));
    const users = db().selectFrom('users').select('users.prism_guid').where('users.email_key', '=', key);
    return sql<boolean>`contacts.prism_guid in ${users}`;
  }
  const rows = await db()
    .selectFrom('contacts')
    .select(['contact_id', 'full_name'])
    .where('company_id', '=', actor.companyId)
    .execute();
  const found = rows.filter((row) => fold(row.full_name).includes(fold(term))).slice(0, MAX_FOUND);
  return found.length === 0
    ? sql<boolean>`1 = 0`
    : sql<boolean>`contacts.contact_id in (${sql.join(found.map((row) => row.contact_id))})`;
}

async function described(actor: Actor, found: readonly (string | number)[]): Promise<ListedContact[]> {
  const ids = found.map(String);
  const people = await db()
    .selectFrom('contacts')
    .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
    .select(['contacts.contact_id', 'contacts.full_name', 'users.prism_guid', 'users.email'])
    .where('contacts.contact_id', 'in', ids)
    .execute();
  const clients = await db()
    .selectFrom('client_contacts')
    .innerJoin('clients', 'clients.client_id', 'client_contacts.client_id')
    .select(['client_contacts.contact_id', 'clients.name'])
    .where('client_contacts.contact_id', 'in', ids)
    .where(actsForClient(actor))
    .orderBy('clients.name_key')
    .execute();
  const seen = await lastSeen(actor, ids);
  return ids.flatMap((id) => {
    const person = people.find((row) => row.contact_id === id);
    const lastSeenAt = seen.get(id);
    if (!person) return [];
    return [
      {
        contactId: id,
        fullName: person.full_name,
        emailAddress: decryptFrom('users.email', person.prism_guid, person.email),
        clients: clients.filter((row) => row.contact_id === id).map((row) => row.name),
        lastSeenAt,
        state: lastSeenAt === undefined ? ('new' as const) : ('active' as const),
      },
    ];
  });
}

/**
 * The last visit of each contact: by their sessions, and by their actions, which outlive those. Being viewed
 * as by staff is not a visit.
 */
async function lastSeen(actor: Actor, ids: readonly string[]): Promise<Map<string, number>> {
  const sessions = await db()
    .selectFrom('sessions')
    .select((e) => ['contact_id', e.fn.max('last_seen_at').as('at')])
    .where('contact_id', 'in', ids)
    .where('viewer_contact_id', 'is', null)
    .groupBy('contact_id')
    .execute();
  const acts = await db()
    .selectFrom('audit')
    .select((e) => ['actor as contact_id', e.fn.max('at').as('at')])
    .where('company_id', '=', actor.companyId)
    .where('actor', 'in', ids)
    .groupBy('actor')
    .execute();
  const seen = new Map<string, number>();
  for (const { contact_id: id, at } of [...sessions, ...acts])
    seen.set(id, Math.max(seen.get(id) ?? 0, Number(at)));
  return seen;
}
