import {
  accountsOf,
  actorNow,
  actorOf,
  assertActsFor,
  assertRecentlyAuthenticated,
  hasForeignClients,
  seesContact,
  staffWith,
} from '#features/base/people/people.server.ts';
import {
  assignClient,
  changeRights,
  endSessionsOfContact,
  insertLink,
} from '#features/base/people/rights.server.ts';
import { canAccessPortal, type Actor, type Session } from '#features/base/people/people.ts';
import { assertManagesContacts } from '#features/identity/invitations/invitations.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import type { AuditAction } from '#platform/security/audit-actions.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import type { PersonName, RoleChange } from './directory.ts';

/*
 * Staff manage the people of their firm: contacts with ManageContacts, staff with ManageFirm, owners as owners
 * only. Each verb checks the rights inside the transaction that writes, so that of two people who act against each
 * other one wins, and the firm always has an owner.
 */

/**
 * Finds a person that the actor may manage. NOT_FOUND for someone whom they do not see, FORBIDDEN for staff
 * without the right to manage the firm.
 */
export async function managedPerson(actor: Actor, contactId: string): Promise<Actor> {
  assertManagesContacts(actor);
  if (!(await seesContact(actor, contactId))) throw notFound();
  const person = await actorOf(contactId);
  if (!mayManage(actor, person)) throw new PortalError('FORBIDDEN');
  return person;
}

/** Tells whether the rights of an actor suffice to manage this person. */
export function mayManage(actor: Actor, person: Pick<Actor, 'staff' | 'role'>): boolean {
  const { permissions } = actor.access;
  if (!person.staff) return permissions.has('ManageContacts');
  return permissions.has('ManageFirm') && (person.role !== 'owner' || actor.role === 'owner');
}

/** The person's own data are changed by the firm only if it is their only one. */
export const isOnlyHere = async (person: Pick<Actor, 'prismGuid'>): Promise<boolean> =>
  (await accountsOf(person.prismGuid)).length === 1;

/** Runs `work` in a transaction, with the actor and the person as they are then. */
function changing<T>(
  actor: Actor,
  contactId: string,
  work: (current: Actor, person: Actor) => Promise<T>,
): Promise<T> {
  return inTransaction(async () => {
    const current = await actorNow(actor);
    return work(current, await managedPerson(current, contactId));
  });
}

/** FORBIDDEN for staff with assigned clients if the person acts for others, too: what is done concerns these. */
export async function assertOnlyOwnClients(actor: Actor, contactId: string): Promise<void> {
  if (await hasForeignClients(actor, contactId)) throw new PortalError('FORBIDDEN');
}

const note = (
  actor: Actor,
  action: AuditAction,
  target: string,
  more: { clientId?: string; details?: Record<string, string | number> } = {},
): Promise<void> => audit({ companyId: actor.companyId, actor: actor.contactId, action, target, ...more });

/** Changes the name of a person in this firm, and in their profile if this firm is their only one. */
export function rename(actor: Actor, contactId: string, { firstName, lastName }: PersonName): Promise<void> {
  return changing(actor, contactId, async (current, person) => {
    await assertOnlyOwnClients(current, contactId);
    await changeRights(contactId, { full_name: `${firstName} ${lastName}` });
    if (await isOnlyHere(person))
      await db()
        .updateTable('users')
        .set({ first_name: firstName, last_name: lastName })
        .where('prism_guid', '=', person.prismGuid)
        .execute();
    await note(current, 'person.rename', contactId);
  });
}

/** Lets a contact act for a client, or assigns the client to staff. NOT_FOUND for a client that is not theirs. */
export function linkContact(actor: Actor, contactId: string, clientId: string): Promise<void> {
  return changing(actor, contactId, async (current, person) => {
    await assertActsFor(current, clientId);
    if (person.staff) await assignClient(clientId, contactId);
    else await insertLink(clientId, contactId);
    await note(current, person.staff ? 'person.assign' : 'person.link', contactId, { clientId });
  });
}

/** Ends that. */
export function unlinkContact(actor: Actor, contactId: string, clientId: string): Promise<void> {
  return changing(actor, contactId, async (current, person) => {
    await assertActsFor(current, clientId);
    await db()
      .deleteFrom(person.staff ? 'staff_clients' : 'client_contacts')
      .where('contact_id', '=', contactId)
      .where('client_id', '=', clientId)
      .execute();
    await note(current, person.staff ? 'person.unassign' : 'person.unlink', contactId, { clientId });
  });
}

/** Assigns a client to staff, and says whether they are responsible for it. */
export function assignClientTo(
  actor: Actor,
  contactId: string,
  { clientId, isResponsible }: { clientId: string; isResponsible: boolean },
): Promise<void> {
  return changing(actor, contactId, async (current, person) => {
    if (!person.staff) throw notFound();
    await assertActsFor(current, clientId);
    await assignClient(clientId, contactId, isResponsible);
    await note(current, 'person.assign', contactId, { clientId });
  });
}

/**
 * Gives staff another role, for all or for their assigned clients; owners act for all. LAST_OWNER if the firm would
 * have no owner; FORBIDDEN to make an owner for anybody but owners. STEP_UP unless recently authenticated.
 */
export function setRole(
  session: Session,
  contactId: string,
  { role, hasAllClients }: RoleChange,
): Promise<void> {
  assertRecentlyAuthenticated(session);
  return changing(session.actor, contactId, async (current, person) => {
    if (!person.staff) throw notFound();
    if (role === 'owner' && current.role !== 'owner') throw new PortalError('FORBIDDEN');
    if (role !== 'owner') await assertOwnerRemains(person);
    const isForAll = role === 'owner' || hasAllClients;
    await changeRights(contactId, { role, all_clients: isForAll ? 1 : 0 });
    await note(current, 'person.role', contactId, {
      details: { role, clients: isForAll ? 'all' : 'assigned' },
    });
  });
}

/** LAST_OWNER unless the firm has another owner who can act, or this person is none. */
async function assertOwnerRemains({ companyId, contactId, role }: Actor): Promise<void> {
  if (role !== 'owner') return;
  const others = (await staffWith(companyId, 'ManageFirm')).filter(
    (one) => one.role === 'owner' && one.contactId !== contactId && canAccessPortal(one),
  );
  if (others.length === 0) throw new PortalError('LAST_OWNER');
}

/** Suspends a person: they may not enter this firm's portal, and their sessions here end. LAST_OWNER. */
export function suspend(session: Session, contactId: string): Promise<void> {
  assertRecentlyAuthenticated(session);
  return changing(session.actor, contactId, async (current, person) => {
    await assertOnlyOwnClients(current, contactId);
    await assertOwnerRemains(person);
    await changeRights(contactId, { suspended_at: now() });
    await endSessionsOfContact(contactId);
    await note(current, 'person.suspend', contactId);
  });
}

/** Suspends several people, or none of them if one may not be: LAST_OWNER, FORBIDDEN. */
export function suspendMany(session: Session, contactIds: readonly string[]): Promise<void> {
  assertRecentlyAuthenticated(session);
  return inTransaction(async () => {
    for (const contactId of contactIds) await suspend(session, contactId);
  });
}

/** Lets a suspended person enter again. */
export function resume(actor: Actor, contactId: string): Promise<void> {
  return changing(actor, contactId, async (current) => {
    await assertOnlyOwnClients(current, contactId);
    await changeRights(contactId, { suspended_at: null });
    await note(current, 'person.resume', contactId);
  });
}

/** Ends a person's sessions and tokens at this firm, for a lost device; returns the number of sessions. */
export function endSessions(actor: Actor, contactId: string): Promise<number> {
  return changing(actor, contactId, async (current) => {
    const count = await endSessionsOfContact(contactId);
    await note(current, 'person.sign-out', contactId);
    return count;
  });
}

/**
 * Removes a person from the firm: their links, assignments, settings and sessions end, their documents and their
 * entries in the audit log stay. The assigned clients of staff go to `successorId`: INVALID without one. STEP_UP
 * unless recently authenticated, LAST_OWNER.
 */
export function removePerson(session: Session, contactId: string, successorId = ''): Promise<void> {
  assertRecentlyAuthenticated(session);
  return changing(session.actor, contactId, async (current, person) => {
    await assertOnlyOwnClients(current, contactId);
    await assertOwnerRemains(person);
    const clients = person.staff ? await handOver(current, contactId, successorId) : 0;
    for (const table of ['client_contacts', 'staff_clients', 'access_settings', 'rescue_codes'] as const)
      await db().deleteFrom(table).where('contact_id', '=', contactId).execute();
    await db()
      .deleteFrom('email_changes')
      .where('company_id', '=', person.companyId)
      .where('prism_guid', '=', person.prismGuid)
      .execute();
    const instant = now();
    await changeRights(contactId, {
      suspended_at: instant,
      removed_at: instant,
      ...(person.staff && { all_clients: 0 }),
    });
    await endSessionsOfContact(contactId);
    await note(current, 'person.remove', contactId, {
      ...(clients > 0 && { details: { about: successorId, clients } }),
    });
  });
}

/** Assigns the clients of someone who leaves to another member of staff; returns how many. */
async function handOver(actor: Actor, contactId: string, successorId: string): Promise<number> {
  const assigned = await db()
    .selectFrom('staff_clients')
    .selectAll()
    .where('contact_id', '=', contactId)
    .execute();
  if (assigned.length === 0) return 0;
  const successor = successorId === contactId || successorId === '' ? undefined : await actorOf(successorId);
  if (!successor?.staff || successor.companyId !== actor.companyId || !canAccessPortal(successor))
    throw new PortalError('INVALID', { field: 'successorId' });
  for (const { client_id: clientId, is_responsible: isResponsible } of assigned)
    await assignClient(clientId, successorId, isResponsible === 1 ? true : undefined);
  return assigned.length;
}
