import { actsForClient, isOwnContact } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { db, fold } from '#platform/database.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import { blindIndex } from '#platform/settings.server.ts';
import type { ContactQuery, ListedContact } from './staff.ts';

const PAGE = 25;

export interface ContactPage {
  contacts: ListedContact[];
  total: number;
  pageSize: number;
}

/**
 * Lists the contacts of the own firm by name, 25 a page; search words match anywhere in a name, or a whole
 * email address. FORBIDDEN for contacts.
 */
export async function listContacts(
  actor: Actor,
  { searchTerm, pageNum }: ContactQuery,
): Promise<ContactPage> {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  const found = await matching(actor, searchTerm.trim());
  const start = (pageNum - 1) * PAGE;
  const contacts = await described(
    actor,
    found.slice(start, start + PAGE).map(({ contact_id: id }) => id),
  );
  return { contacts, total: found.length, pageSize: PAGE };
}

/**
 * Names are compared folded, which SQL alone cannot do for every script: a firm has thousands of contacts,
 * not millions.
 */
async function matching(actor: Actor, term: string): Promise<{ contact_id: string; full_name: string }[]> {
  const email = term.includes('@') ? await blindIndex(fold(term)) : undefined;
  const rows = await db()
    .selectFrom('contacts')
    .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
    .select(['contacts.contact_id', 'contacts.full_name'])
    .where(isOwnContact(actor))
    .where('contacts.staff', '=', 0)
    .$if(email !== undefined, (contacts) => contacts.where('users.email_key', '=', email ?? ''))
    .execute();
  const wanted = fold(term);
  const named = email !== undefined ? rows : rows.filter((row) => fold(row.full_name).includes(wanted));
  const keyed = named.map((row) => ({ ...row, key: fold(row.full_name) }));
  return keyed.toSorted((a, b) =>
    a.key < b.key ? -1 : a.key > b.key ? 1 : a.contact_id < b.contact_id ? -1 : 1,
  );
}

async function described(actor: Actor, ids: readonly string[]): Promise<ListedContact[]> {
  if (ids.length === 0) return [];
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
