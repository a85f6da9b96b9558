import { sql } from 'kysely';
import { invitedClients } from '#features/identity/invitations/invited-staff.server.ts';
import { actorsOf, clientIdsOf } from '#features/base/people/people.server.ts';
import { canAccessPortal, type Actor } from '#features/base/people/people.ts';
import { db, inBatches } from '#platform/database/database.server.ts';
import { withoutMailsOf } from '#platform/mail/mail-delivery.server.ts';
import type { OptionalKind } from '#platform/mail/mail-kinds.ts';

/*
 * Who of a client will get an email about something, and if nobody will, why. Every form by which the firm notifies
 * contacts says so before and after; the mails themselves are decided where they are queued, by the same facts.
 */

/**
 * Why nobody of a client is notified: no contact is linked, or those who were invited have not accepted; none may sign
 * in; none may see what it is about; or all have turned off emails of this kind, or are not to get one now.
 */
export type Unreached = 'no-contact' | 'invited' | 'locked-out' | 'no-access' | 'turned-off' | Held;

/**
 * Why a contact does not get an email of a kind now: those to them are not delivered, they have paused them, or have had
 * one a short time ago.
 */
type Held = 'bounced' | 'paused' | 'recent';

export interface NoticeRecipients {
  clientId: string;
  client: string;
  /** The names of those who will get an email. */
  names: readonly string[];
  /** Why nobody will; undefined if somebody will. */
  unreached: Unreached | undefined;
}

/** Of several reasons the one that the firm can change first. */
const HELD: readonly Held[] = ['bounced', 'paused', 'recent'];

interface About {
  kind: OptionalKind;
  /** Whether a contact may see what the email is about. */
  maySee?: (reader: Actor) => boolean;
  /** Those of these contacts who do not get it now. */
  held?: (contactIds: readonly string[]) => Promise<ReadonlyMap<string, Held>>;
}

/** Finds who is notified of something about a client of the actor; undefined for another client. */
export const recipientsOf = async (
  actor: Actor,
  clientId: string,
  about: About,
): Promise<NoticeRecipients | undefined> => (await recipientsOfMany(actor, [clientId], about))[0];

/**
 * The same only if nobody is notified, for pages that are viewed more often than they notify: where a contact could be, it
 * is one statement.
 */
export async function unreachedOf(
  actor: Actor,
  clientId: string,
  kind: OptionalKind,
): Promise<NoticeRecipients | undefined> {
  const somebody = await db()
    .selectFrom('client_contacts')
    .innerJoin('contacts', 'contacts.contact_id', 'client_contacts.contact_id')
    .select('contacts.contact_id')
    .where('client_contacts.client_id', '=', clientId)
    .where('contacts.staff', '=', 0)
    .where('contacts.removed_at', 'is', null)
    .where('contacts.suspended_at', 'is', null)
    .where((e) =>
      e.not(e.exists(withoutMailsOf(kind).where('off.contact_id', '=', sql<string>`contacts.contact_id`))),
    )
    .limit(1)
    .executeTakeFirst();
  return somebody ? undefined : recipientsOf(actor, clientId, { kind });
}

/** Does the same for many clients, by name, with few statements. */
export async function recipientsOfMany(
  actor: Actor,
  clientIds: readonly string[],
  { kind, maySee = () => true, held }: About,
): Promise<NoticeRecipients[]> {
  const clients = await clientsNamed(actor, clientIds);
  const links = await linksOf(clients.map(({ id }) => id));
  const contactIds = [...new Set([...links.values()].flat())];
  const people = new Map<string, Actor>();
  for (const some of inBatches(contactIds))
    for (const person of await actorsOf(some)) people.set(person.contactId, person);
  const turnedOff = await withoutMails(contactIds, kind);
  const waiting = (await held?.(contactIds)) ?? new Map<string, Held>();
  const hasLackingClient = clients.some(({ id }) => !links.has(id));
  const invited = hasLackingClient ? await invitedClients(actor.companyId) : new Set<string>();
  return clients.map(({ id, name }) => {
    const contacts = (links.get(id) ?? []).flatMap((contactId) => people.get(contactId) ?? []);
    const able = contacts.filter(canAccessPortal);
    const seeing = able.filter(maySee);
    const willing = seeing.filter(({ contactId }) => !turnedOff.has(contactId));
    const notified = willing.filter(({ contactId }) => !waiting.has(contactId));
    const why = (): Unreached => {
      if (contacts.length === 0) return invited.has(id) ? 'invited' : 'no-contact';
      if (able.length === 0) return 'locked-out';
      if (seeing.length === 0) return 'no-access';
      const reasons = new Set(willing.flatMap(({ contactId }) => waiting.get(contactId) ?? []));
      return HELD.find((reason) => reasons.has(reason)) ?? 'turned-off';
    };
    return {
      clientId: id,
      client: name,
      names: notified.map(({ fullName }) => fullName),
      unreached: notified.length > 0 ? undefined : why(),
    };
  });
}

async function clientsNamed(
  actor: Actor,
  clientIds: readonly string[],
): Promise<{ id: string; name: string }[]> {
  const found = [];
  for (const some of inBatches([...new Set(clientIds)]))
    for (const row of await clientIdsOf(actor)
      .select(['clients.name', 'clients.name_key'])
      .where('clients.client_id', 'in', some)
      .execute())
      found.push({ id: row.client_id, name: row.name, key: row.name_key });
  return found.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** The contacts of clients who belong to the firm, by client. */
async function linksOf(clientIds: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const some of inBatches(clientIds))
    for (const row of await db()
      .selectFrom('client_contacts')
      .innerJoin('contacts', 'contacts.contact_id', 'client_contacts.contact_id')
      .select(['client_contacts.client_id', 'contacts.contact_id'])
      .where('client_contacts.client_id', 'in', some)
      .where('contacts.staff', '=', 0)
      .where('contacts.removed_at', 'is', null)
      .orderBy('contacts.full_name')
      .execute())
      found.set(row.client_id, [...(found.get(row.client_id) ?? []), row.contact_id]);
  return found;
}

/** Those of these contacts who have turned off emails of a kind. */
async function withoutMails(contactIds: readonly string[], kind: OptionalKind): Promise<Set<string>> {
  const found = new Set<string>();
  for (const some of inBatches(contactIds))
    for (const row of await withoutMailsOf(kind).where('off.contact_id', 'in', some).execute())
      found.add(row.contact_id);
  return found;
}
