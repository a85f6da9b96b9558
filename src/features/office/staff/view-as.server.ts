import { actorOf, assertRecentlyAuthenticated } from '#features/base/people/people.server.ts';
import type { Session } from '#features/base/people/people.ts';
import {
  exchangeSession,
  expiredImpersonation,
  maySeeAs,
} from '#features/identity/sessions/sessions.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError, unlessStorageIsFull } from '#platform/runtime/errors.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { LOOK_MINUTES, type ViewRequest } from './staff.ts';

/*
 * Staff view the portal as a contact (product.md, Session and sign-in; threat-model.md T14 to T18). The view
 * is a session of its own, known as such to the server only; it cannot write, and the audit log names both
 * people.
 */

/**
 * Finds the person to view as; NOT_FOUND unless they are a contact of the own firm, FORBIDDEN without the
 * permission, EMULATION_READ_ONLY during another view.
 */
export async function personToViewAs(session: Session, contactId: string) {
  if (session.viewing) throw new PortalError('EMULATION_READ_ONLY');
  if (!session.actor.staff || !session.actor.access.permissions.has('ViewAs'))
    throw new PortalError('FORBIDDEN');
  const contact = await actorOf(contactId);
  if (!(await maySeeAs(session.actor, contact))) throw notFound();
  return contact;
}

/**
 * Ends the session of the staff member and starts one that views as the contact, with a new id. Returns the
 * cookie value and when it ends (ms). STEP_UP unless recently authenticated; other errors as in {@link
 * personToViewAs}.
 */
export async function startViewing(
  session: Session,
  { contactId, reason }: ViewRequest,
): Promise<{ token: string; until: number }> {
  const contact = await personToViewAs(session, contactId);
  assertRecentlyAuthenticated(session);
  const staff = session.actor;
  const until = now() + LOOK_MINUTES * MINUTE;
  return inTransaction(async () => {
    const token = await exchangeSession(session.id, contact, { viewing: { staff, reason, until } });
    if (token === undefined) throw new PortalError('UNAUTHENTICATED');
    const viewId = newId('view');
    await db()
      .insertInto('views')
      .values({
        view_id: viewId,
        company_id: staff.companyId,
        staff_contact_id: staff.contactId,
        contact_id: contactId,
        reason: encryptFor('views.reason', viewId, reason),
        started_at: now(),
      })
      .execute();
    await audit({
      companyId: staff.companyId,
      actor: staff.contactId,
      action: 'view.start',
      target: contactId,
      details: { subject: contactId, view: viewId },
    });
    return { token, until };
  });
}

/**
 * Ends a view: returns the cookie value of the staff member's own session, which continues with a new id;
 * undefined if there is nothing to end.
 */
export async function endViewing({ id, actor, viewing }: Session): Promise<string | undefined> {
  return viewing && goBack(id, actor.contactId, viewing.staff);
}

/** Does what {@link endViewing} does, for a view whose time is up; `token` is the cookie value. */
export async function endExpiredImpersonation(token: string | undefined): Promise<string | undefined> {
  const expired = await expiredImpersonation(token);
  return expired && goBack(expired.id, expired.contactId, expired.staff);
}

function goBack(id: string, contactId: string, staff: Session['actor']): Promise<string | undefined> {
  return inTransaction(async () => {
    const token = await exchangeSession(id, staff);
    if (token !== undefined)
      await audit({
        companyId: staff.companyId,
        actor: staff.contactId,
        action: 'view.end',
        target: contactId,
        details: { subject: contactId },
      });
    return token;
  });
}

const IDS = /\b(?:doc|client|project|folder)_[0-9a-f]{32}\b/g;

/**
 * Audits a request made while viewing, before it is answered: one entry per request, with both people
 * (threat-model.md T16). `route` is a pattern of the route table.
 */
export async function noteImpersonatedRequest(
  { actor, viewing }: Session,
  { method, route, address }: { method: string; route: string; address: string },
): Promise<void> {
  if (!viewing) return;
  const isRead = method === 'GET' || method === 'HEAD';
  const about = [...new Set(address.match(IDS))].slice(0, 4).join(' ');
  const details = { subject: actor.contactId, route, ...(about !== '' && { about }) };
  const entry = {
    companyId: actor.companyId,
    actor: viewing.staff.contactId,
    action: isRead ? 'view.read' : 'view.refuse',
    target: actor.contactId,
    details,
  } as const;
  if (!(await unlessStorageIsFull(() => audit(entry)))) log.warn({ event: 'view.not-noted' });
}
