import { sql } from 'kysely';
import { invitationOf, setInvitationClients } from '#features/identity/invitations/invitations.server.ts';
import type { Invitation } from '#features/identity/invitations/invitations.ts';
import {
  accountsOf,
  actorOf,
  actsForClient,
  clientIdsOf,
  hasForeignClients,
  seesContact,
  staffWith,
} from '#features/base/people/people.server.ts';
import { lastSeenOf } from '#features/base/people/last-seen.server.ts';
import { canAccessPortal, type Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { linkContact, mayManage, unlinkContact } from './management.server.ts';

/** A client of a person. */
export interface PersonClient {
  clientId: string;
  name: string;
  code: string;
  isResponsible: boolean;
}

const MAX_CLIENTS = 200;

/** Everything that the page of a person shows. */
export interface Person {
  contact: Actor;
  clients: PersonClient[];
  isSuspended: boolean;
  lastSeenAt: number | undefined;
  sessions: number;
  /** False if the person belongs to another firm, too: then their address and profile are their own. */
  isOnlyHere: boolean;
  mayManage: boolean;
  /** True if they act for clients that the reader does not: then the reader can link clients only. */
  hasForeignClients: boolean;
}

/** Loads a person of the actor's firm. NOT_FOUND for someone whom they do not see. FORBIDDEN for contacts. */
export async function personOf(actor: Actor, contactId: string): Promise<Person> {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  if (!(await seesContact(actor, contactId))) throw notFound();
  const contact = await actorOf(contactId);
  const { count } = await db()
    .selectFrom('sessions')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('contact_id', '=', contactId)
    .where('viewer_contact_id', 'is', null)
    .executeTakeFirstOrThrow();
  const row = await db()
    .selectFrom('contacts')
    .select('suspended_at')
    .where('contact_id', '=', contactId)
    .executeTakeFirst();
  return {
    contact,
    clients: await clientsOfPerson(actor, contact),
    isSuspended: row?.suspended_at !== null,
    lastSeenAt: (await lastSeenOf(actor, [contactId])).get(contactId),
    sessions: Number(count),
    isOnlyHere: (await accountsOf(contact.prismGuid)).length === 1,
    mayManage: mayManage(actor, contact),
    hasForeignClients: await hasForeignClients(actor, contactId),
  };
}

/** Those of a person's clients that the actor acts for, the first 200 by name. */
async function clientsOfPerson(
  actor: Actor,
  { contactId, staff }: Pick<Actor, 'contactId' | 'staff'>,
): Promise<PersonClient[]> {
  const clients = db()
    .selectFrom('clients')
    .select(['clients.client_id', 'clients.name', 'clients.code'])
    .where(actsForClient(actor))
    .orderBy('clients.name_key')
    .limit(MAX_CLIENTS);
  const rows = staff
    ? await clients
        .innerJoin('staff_clients', 'staff_clients.client_id', 'clients.client_id')
        .select('staff_clients.is_responsible')
        .where('staff_clients.contact_id', '=', contactId)
        .execute()
    : await clients
        .innerJoin('client_contacts', 'client_contacts.client_id', 'clients.client_id')
        .select(sql<0>`0`.as('is_responsible'))
        .where('client_contacts.contact_id', '=', contactId)
        .execute();
  return rows.map((row) => ({
    clientId: row.client_id,
    name: row.name,
    code: row.code,
    isResponsible: row.is_responsible === 1,
  }));
}

/** A person, or an invitation, whose clients are chosen. */
export interface WithClients {
  id: string;
  fullName: string;
  isStaff: boolean;
  /** The state of an invitation; undefined for a person. */
  invitation: Invitation['state'] | undefined;
  clients: PersonClient[];
}

/** Finds whose clients these are: of a contact, staff, or an invitation. NOT_FOUND, FORBIDDEN. */
export async function withClients(actor: Actor, id: string): Promise<WithClients> {
  if (isInvitationId(id)) {
    const invitation = await pendingInvitation(actor, id);
    const responsible = new Set(invitation.responsibleIds);
    const rows = await clientsWithIds(actor, [...new Set([...invitation.clientIds, ...responsible])]);
    const fullName = `${invitation.firstName} ${invitation.lastName}`.trim();
    return {
      id,
      fullName,
      isStaff: invitation.role !== undefined,
      invitation: invitation.state,
      clients: rows.map((row) => ({ ...row, isResponsible: responsible.has(row.clientId) })),
    };
  }
  const person = await personOf(actor, id);
  if (!person.mayManage) throw new PortalError('FORBIDDEN');
  const { fullName, staff } = person.contact;
  return { id, fullName, isStaff: staff, invitation: undefined, clients: person.clients };
}

const isInvitationId = (id: string): boolean => id.startsWith('invitation_');

/** Finds an invitation that no one has accepted yet; NOT_FOUND otherwise. */
async function pendingInvitation(actor: Actor, id: string): Promise<Invitation> {
  const invitation = await invitationOf(actor, id);
  if (invitation.state === 'accepted' || invitation.state === 'revoked') throw notFound();
  return invitation;
}

/** Adds a client of a person or an invitation, or removes it. */
export async function changeClient(
  actor: Actor,
  id: string,
  change: { add: string } | { remove: string },
): Promise<void> {
  if (isInvitationId(id))
    await setInvitationClients(actor, id, (ids) =>
      'add' in change ? [...ids, change.add] : ids.filter((one) => one !== change.remove),
    );
  else if ('add' in change) await linkContact(actor, id, change.add);
  else await unlinkContact(actor, id, change.remove);
}

/** The actor's clients with these ids, by name. */
async function clientsWithIds(actor: Actor, ids: readonly string[]): Promise<PersonClient[]> {
  if (ids.length === 0) return [];
  const rows = await clientIdsOf(actor)
    .select(['clients.name', 'clients.code'])
    .where('clients.client_id', 'in', ids)
    .orderBy('clients.name_key')
    .limit(MAX_CLIENTS)
    .execute();
  return rows.map((row) => ({
    clientId: row.client_id,
    name: row.name,
    code: row.code,
    isResponsible: false,
  }));
}

/** Those of these people whom the actor may suspend, and who are not; never the actor. */
export async function suspendable(actor: Actor, contactIds: readonly string[]): Promise<Actor[]> {
  const found: Actor[] = [];
  for (const contactId of contactIds) {
    const person = await personOf(actor, contactId);
    if (!person.mayManage || person.hasForeignClients || person.isSuspended) continue;
    if (contactId !== actor.contactId) found.push(person.contact);
  }
  return found;
}

/** The staff who can take over the clients of someone who leaves; empty if there is nothing to take over. */
export async function successorsOf(actor: Actor, { contactId, staff }: Actor): Promise<Actor[]> {
  if (!staff) return [];
  const assigned = await db()
    .selectFrom('staff_clients')
    .select('client_id')
    .where('contact_id', '=', contactId)
    .executeTakeFirst();
  if (!assigned) return [];
  return (await staffWith(actor.companyId, 'DefaultStaff')).filter(
    (one) => one.contactId !== contactId && canAccessPortal(one),
  );
}

/** The proof that someone was removed: their name, and who did it when. NOT_FOUND if no one with this id was. */
export async function removalOf(
  actor: Actor,
  contactId: string,
): Promise<{ name: string; by: string; at: number; number: number }> {
  if (!actor.access.permissions.has('ManageContacts')) throw notFound();
  const removed = await db()
    .selectFrom('contacts')
    .innerJoin('audit', (join) =>
      join.onRef('audit.target', '=', 'contacts.contact_id').on('audit.action', '=', 'person.remove'),
    )
    .innerJoin('contacts as removers', 'removers.contact_id', 'audit.actor')
    .select(['contacts.full_name as name', 'removers.full_name as by', 'audit.at', 'audit.seq as number'])
    .where('contacts.contact_id', '=', contactId)
    .where('contacts.company_id', '=', actor.companyId)
    .where('audit.company_id', '=', actor.companyId)
    .where('contacts.removed_at', 'is not', null)
    .orderBy('audit.seq', 'desc')
    .executeTakeFirst();
  if (!removed) throw notFound();
  return removed;
}
