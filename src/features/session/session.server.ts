import { actorOf } from '#features/people/people.server.ts';
import { ACCESS_CONTROLS, PERMISSIONS, type Actor, type Session } from '#features/people/people.ts';
import { audit } from '#platform/audit.server.ts';
import { HOUR, MINUTE, now, SECOND } from '#platform/clock.server.ts';
import { newToken, sha256 } from '#platform/crypto.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { refusal } from '#platform/errors.server.ts';
import { sealFor } from '#platform/sealed.server.ts';
import type { SessionInfo } from './session.ts';
import { termsAreDue } from './terms.server.ts';

export { cutOffLocked, underWayFor } from './cut-off.server.ts';

/** Idle and absolute time-outs (security.md 4.1). */
const IDLE = 30 * MINUTE;
const ABSOLUTE = 12 * HOUR;
/** The last request is noted at most this often: the calls of one page are one write. */
const NOTE_EVERY = SECOND;

/** Where a session is used: what the browser says of itself, and its network address. */
export interface Device {
  userAgent: string;
  network: string;
}

interface Started {
  amr: readonly string[];
  device: Device;
  /** Given where staff look as the actor: who, why, and until when (epoch ms). */
  viewing?: { staff: Actor; reason: string; until: number };
}

/** Starts a session for a contact and answers the cookie's value; only its hash is stored. */
export async function startSession(actor: Actor, { amr, device, viewing }: Started): Promise<string> {
  const token = newToken();
  const id = sha256(token);
  const instant = now();
  const view = viewing && { viewer_contact_id: viewing.staff.contactId, view_reason: sealFor('sessions.view_reason', id, viewing.reason), view_until: viewing.until };
  await inTransaction(async () => {
    await db()
      .insertInto('sessions')
      .values({
        session_hash: id,
        prism_guid: viewing ? viewing.staff.prismGuid : actor.prismGuid,
        contact_id: actor.contactId,
        company_id: actor.companyId,
        amr: JSON.stringify(amr),
        device: sealFor('sessions.device', id, JSON.stringify(device)),
        created_at: instant,
        last_seen_at: instant,
        authenticated_at: instant,
        ...view,
      })
      .execute();
    await audit({ companyId: actor.companyId, actor: viewing ? viewing.staff.contactId : actor.contactId, action: 'session.start', target: actor.prismGuid });
  });
  return token;
}

/**
 * The live session of a cookie. Its contact is read anew each time: a right that was taken away is gone with the next request. `onLockOut`
 * is told when it ends here because the firm is locked.
 */
export async function findSession(token: string | undefined, onLockOut?: () => void): Promise<Session | undefined> {
  if (!token) return undefined;
  const id = sha256(token);
  const row = await db().selectFrom('sessions').select(['contact_id', 'amr', 'created_at', 'last_seen_at', 'authenticated_at', 'viewer_contact_id', 'view_until']).where('session_hash', '=', id).executeTakeFirst();
  if (!row) return undefined;
  const instant = now();
  const overAt = Math.min(row.created_at + ABSOLUTE, row.view_until ?? Infinity);
  const actor = instant - row.last_seen_at > IDLE || instant > overAt ? undefined : await liveActor(row.contact_id, onLockOut);
  const staff = row.viewer_contact_id === null ? undefined : await liveActor(row.viewer_contact_id);
  if (!actor || (row.viewer_contact_id !== null && !maySeeAs(staff, actor))) {
    await endSession(id);
    return undefined;
  }
  if (instant - row.last_seen_at > NOTE_EVERY) await db().updateTable('sessions').set({ last_seen_at: instant }).where('session_hash', '=', id).execute();
  return {
    id,
    actor: staff ? { ...actor, viewedBy: staff.contactId } : actor,
    expiresAt: Math.min(instant + IDLE, overAt),
    amr: JSON.parse(row.amr) as string[],
    authenticatedAt: row.authenticated_at,
    termsDue: !staff && (await termsAreDue(actor)),
    ...(staff && { viewing: { staff, until: row.view_until ?? overAt } }),
  };
}

/** The contact, unless there is none any more or the firm is locked. */
async function liveActor(contactId: string, onLockOut?: () => void): Promise<Actor | undefined> {
  const actor = await actorOf(contactId).catch((error: unknown) => {
    if (refusal(error)?.code === 'NOT_FOUND') return undefined;
    throw error;
  });
  if (actor?.firmLocked) onLockOut?.();
  return actor?.firmLocked ? undefined : actor;
}

/** Staff with the right to it may look as a contact of their own firm, never as other staff (security.md T17). */
export const maySeeAs = (staff: Actor | undefined, contact: Actor): boolean => staff !== undefined && staff.staff && staff.access.permissions.has('ViewAs') && !contact.staff && contact.companyId === staff.companyId;

export async function endSession(id: string): Promise<void> {
  await inTransaction(async () => {
    const ended = await db().deleteFrom('sessions').where('session_hash', '=', id).returning(['company_id', 'contact_id', 'prism_guid']).executeTakeFirst();
    if (ended) await audit({ companyId: ended.company_id, actor: ended.contact_id, action: 'session.end', target: ended.prism_guid });
  });
}

/** Ends every session there is: after a restore nobody knows which of them were ended before. */
export async function endAllSessions(): Promise<void> {
  await db().deleteFrom('sessions').execute();
}

/** Removes the sessions that nobody can use any more. */
export async function sweepSessions(): Promise<void> {
  const instant = now();
  await db()
    .deleteFrom('sessions')
    .where((e) => e.or([e('last_seen_at', '<', instant - IDLE), e('created_at', '<', instant - ABSOLUTE)]))
    .execute();
}

/** Session bindings as the spec's pages read them. */
export function describeSession({ actor, expiresAt, viewing }: Session): SessionInfo {
  const { controls, permissions } = actor.access;
  return {
    meta: {
      PrismGuid: viewing ? viewing.staff.prismGuid : actor.prismGuid,
      FirstName: actor.firstName,
      LastName: actor.lastName,
      EmailAddress: actor.emailAddress,
      SessionExpiresDateTime: new Date(expiresAt).toISOString(),
      EmulateePrismGuid: viewing ? actor.prismGuid : null,
    },
    bindings: {
      ApplicationConfiguration: { CompanyId: actor.companyId, ContactId: actor.contactId },
      FeatureResourcePermissions: Object.fromEntries(PERMISSIONS.map((name) => [name, permissions.has(name)])),
      InfrastructureAccessControls: ACCESS_CONTROLS.filter((name) => controls.has(name)),
    },
  };
}
