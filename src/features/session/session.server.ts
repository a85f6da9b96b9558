import { noteSessionEnd } from '#features/people/people.server.ts';
import { ACCESS_CONTROLS, PERMISSIONS, type Actor, type Session } from '#features/people/people.ts';
import { audit } from '#platform/audit.server.ts';
import { HOUR, now, SECOND } from '#platform/clock.server.ts';
import { newToken, sha256 } from '#platform/crypto.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { notFound, PortalError } from '#platform/errors.server.ts';
import { sealFor, unsealFrom } from '#platform/sealed.server.ts';
import type { SessionInfo } from './session.ts';
import { sweepKeptForms } from './kept-forms.server.ts';
import { liveActor } from './live-actor.server.ts';
import { termsAreDue } from './terms.server.ts';
import { ABSOLUTE, IDLE } from './time-outs.server.ts';
import { sweepLongTokens } from './tokens.server.ts';

export { acceptTerms, acceptancesOf, publishTerms, termsFor, termsVersions } from './terms.server.ts';
export { findTokenSession, issueLongToken, longTokenIn, lookAtLink, redeemLink } from './tokens.server.ts';
export { linkedAccounts } from './accounts.server.ts';
export { keepForm, keptForm } from './kept-forms.server.ts';

export { describeDevice } from './devices.ts';
export { endOtherSessions, endOwnSession, listSessions, renewSession } from './devices.server.ts';

export { cutOffLocked, underWayFor } from './cut-off.server.ts';

/** So long after its end a session's person may still bring what they had typed. */
const REMEMBERED = 12 * HOUR;
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
  /** When the person proved who they are, and since when they are here (epoch ms), where that was in another session; now without them. */
  authenticatedAt?: number;
  since?: number;
  /** Given where staff look as the actor: who, why, and until when (epoch ms). */
  viewing?: { staff: Actor; reason: string; until: number };
}

/** Starts a session for a contact and answers the cookie's value; only its hash is stored. */
export async function startSession(actor: Actor, started: Started): Promise<string> {
  return inTransaction(async () => {
    const { viewing } = started;
    const token = await insertSession(actor, started);
    if (!viewing) await db().updateTable('users').set({ last_contact_id: actor.contactId }).where('prism_guid', '=', actor.prismGuid).execute();
    await audit({ companyId: actor.companyId, actor: viewing ? viewing.staff.contactId : actor.contactId, action: 'session.start', target: actor.prismGuid });
    return token;
  });
}

async function insertSession(actor: Actor, { amr, device, viewing, ...earlier }: Started): Promise<string> {
  const token = newToken();
  const id = sha256(token);
  const instant = now();
  const view = viewing && { viewer_contact_id: viewing.staff.contactId, view_reason: sealFor('sessions.view_reason', id, viewing.reason), view_until: viewing.until };
  await db()
    .insertInto('sessions')
    .values({
      session_hash: id,
      prism_guid: viewing ? viewing.staff.prismGuid : actor.prismGuid,
      contact_id: actor.contactId,
      company_id: actor.companyId,
      amr: JSON.stringify(amr),
      device: sealFor('sessions.device', id, JSON.stringify(device)),
      created_at: earlier.since ?? instant,
      last_seen_at: instant,
      authenticated_at: earlier.authenticatedAt ?? instant,
      ...view,
    })
    .execute();
  return token;
}

/**
 * Ends a session and starts another of the same sign-in in its place, with a new id (security.md T22): its age, proofs and device stay.
 * Answers the new cookie's value; undefined when the session was over already, so that of two who come at once one goes on.
 */
export function exchangeSession(id: string, actor: Actor, viewing?: Started['viewing']): Promise<string | undefined> {
  return inTransaction(async () => {
    const row = await db().deleteFrom('sessions').where('session_hash', '=', id).returning(['amr', 'device', 'created_at', 'authenticated_at']).executeTakeFirst();
    if (!row) return undefined;
    const device = JSON.parse(unsealFrom('sessions.device', id, row.device)) as Device;
    return insertSession(actor, { amr: JSON.parse(row.amr) as string[], device, since: row.created_at, authenticatedAt: row.authenticated_at, ...(viewing && { viewing }) });
  });
}

/** The session of a cookie in which somebody looked as a contact until their time was up, and who that was; undefined when the sign-in itself is over too. */
export async function lookThatEnded(token: string | undefined): Promise<{ id: string; contactId: string; staff: Actor } | undefined> {
  if (!token) return undefined;
  const id = sha256(token);
  const row = await db().selectFrom('sessions').select(['contact_id', 'created_at', 'last_seen_at', 'viewer_contact_id']).where('session_hash', '=', id).where('view_until', '<', now()).executeTakeFirst();
  if (!row?.viewer_contact_id || isOver(row)) return undefined;
  const staff = await liveActor(row.viewer_contact_id);
  return staff?.staff ? { id, contactId: row.contact_id, staff } : undefined;
}

const isOver = (row: { created_at: number; last_seen_at: number }): boolean => now() - row.last_seen_at > IDLE || now() > row.created_at + ABSOLUTE;

/**
 * The live session of a cookie. Its contact is read anew each time: a right that was taken away is gone with the next request. What a page
 * asks by itself (`inBackground`) does not keep an idle session alive. `onLockOut` is told when it ends here because the firm is locked.
 */
export async function findSession(token: string | undefined, { inBackground = false, onLockOut }: { inBackground?: boolean; onLockOut?: () => void } = {}): Promise<Session | undefined> {
  if (!token) return undefined;
  const id = sha256(token);
  const row = await db().selectFrom('sessions').select(['contact_id', 'amr', 'created_at', 'last_seen_at', 'authenticated_at', 'viewer_contact_id', 'view_until']).where('session_hash', '=', id).executeTakeFirst();
  if (!row) return undefined;
  const [instant, over] = [now(), isOver(row)];
  // It grants nothing any more, but the page that is asked for next leads back (lookThatEnded).
  if (row.view_until !== null && instant > row.view_until && !over) return undefined;
  const overAt = Math.min(row.created_at + ABSOLUTE, row.view_until ?? Infinity);
  if (over && row.viewer_contact_id === null) await rememberEnd(id, row.contact_id);
  const actor = over ? undefined : await liveActor(row.contact_id, onLockOut);
  const staff = row.viewer_contact_id === null ? undefined : await liveActor(row.viewer_contact_id);
  if (!actor || (row.viewer_contact_id !== null && !maySeeAs(staff, actor))) {
    await endSession(id);
    return undefined;
  }
  if (!inBackground && instant - row.last_seen_at > NOTE_EVERY) await db().updateTable('sessions').set({ last_seen_at: instant }).where('session_hash', '=', id).execute();
  return {
    id,
    actor: staff ? { ...actor, viewedBy: staff.contactId } : actor,
    expiresAt: Math.min((inBackground ? row.last_seen_at : instant) + IDLE, overAt),
    amr: JSON.parse(row.amr) as string[],
    authenticatedAt: row.authenticated_at,
    termsDue: !staff && (await termsAreDue(actor)),
    ...(staff && { viewing: { staff, until: row.view_until ?? overAt } }),
  };
}

async function rememberEnd(id: string, contactId: string): Promise<void> {
  await db().insertInto('ended_sessions').values({ session_hash: id, contact_id: contactId, ended_at: now() }).onConflict((conflict) => conflict.doNothing()).execute();
}

/**
 * Goes on as another contact of the same user, in a new session (security.md T22): answers the cookie's value and whom it is. What was
 * proved, and when the session must end, stay as they were. NOT_FOUND unless the contact is theirs and its firm is open; FORBIDDEN with a long token, or while looking as somebody.
 */
export async function switchAccount(session: Session, contactId: string, device: Device): Promise<{ token: string; actor: Actor }> {
  if (session.byToken !== undefined || session.viewing) throw new PortalError('FORBIDDEN');
  return inTransaction(async () => {
    const actor = await liveActor(contactId);
    const old = await db().selectFrom('sessions').select('created_at').where('session_hash', '=', session.id).executeTakeFirst();
    if (!old || actor?.prismGuid !== session.actor.prismGuid) throw notFound();
    const token = await startSession(actor, { amr: session.amr, device, authenticatedAt: session.authenticatedAt, since: old.created_at });
    await audit({ companyId: session.actor.companyId, actor: session.actor.contactId, action: 'session.switch', target: contactId });
    await endSession(session.id);
    return { token, actor };
  });
}

/** Since when a session lives (epoch ms): what it hands on ends no later. */
export async function sessionSince(session: Session): Promise<number> {
  const row = await db().selectFrom('sessions').select('created_at').where('session_hash', '=', session.id).executeTakeFirst();
  return row?.created_at ?? now();
}

/** Staff with the right to it may look as a contact of their own firm, never as other staff (security.md T17). */
export const maySeeAs = (staff: Actor | undefined, contact: Actor): boolean => staff !== undefined && staff.staff && staff.access.permissions.has('ViewAs') && !contact.staff && contact.companyId === staff.companyId;

export async function endSession(id: string): Promise<void> {
  await inTransaction(async () => {
    const ended = await db().deleteFrom('sessions').where('session_hash', '=', id).returning(['company_id', 'contact_id', 'prism_guid', 'viewer_contact_id']).executeTakeFirst();
    if (ended) await noteSessionEnd(ended);
  });
}

/** Ends every session and token there is: after a restore nobody knows which of them were ended before. */
export async function endAllSessions(): Promise<void> {
  for (const table of ['sessions', 'long_tokens', 'ended_sessions', 'kept_forms'] as const) await db().deleteFrom(table).execute();
}

/** Removes the sessions that nobody can use any more. */
export async function sweepSessions(): Promise<void> {
  const instant = now();
  await inTransaction(async () => {
    const over = await db()
      .deleteFrom('sessions')
      .where((e) => e.or([e('last_seen_at', '<', instant - IDLE), e('created_at', '<', instant - ABSOLUTE)]))
      .returning(['session_hash', 'company_id', 'contact_id', 'prism_guid', 'viewer_contact_id'])
      .execute();
    for (const row of over) {
      // That a session was left alone is no act; that somebody looks no longer is.
      if (row.viewer_contact_id === null) await rememberEnd(row.session_hash, row.contact_id);
      else await noteSessionEnd(row);
    }
    await db().deleteFrom('ended_sessions').where('ended_at', '<', instant - REMEMBERED).execute();
  });
  await sweepLongTokens();
  await sweepKeptForms();
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
