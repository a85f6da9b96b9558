import { accessNames } from '#features/base/people/access-settings.server.ts';
import {
  hasForeignClients,
  seesContact,
  needsSecondStep,
  ENDED_SESSION,
  noteSessionEnd,
} from '#features/base/people/people.server.ts';
import { canAccessPortal, type Actor, type Session } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError, unlessStorageIsFull } from '#platform/runtime/errors.server.ts';
import { encryptFor, decryptFrom } from '#platform/security/encryption.server.ts';
import type { SessionInfo } from './sessions.ts';
import { sweepSavedForms } from './saved-forms.server.ts';
import { lastSeen, see, writeLastSeen } from './last-seen.server.ts';
import { lacksSecondStep, liveActor } from './live-actor.server.ts';
import { ABSOLUTE, IDLE } from './time-outs.server.ts';
import { endTokensOf, moveTokens, sweepApiTokens } from './tokens.server.ts';

/** How long after its end the owner of a session can still submit a form to be saved. */
const REMEMBERED = 12 * HOUR;

/** The browser of a session: its User-Agent and network address. */
export interface Device {
  userAgent: string;
  network: string;
}

interface Started {
  amr: readonly string[];
  device: Device;
  /**
   * When the person authenticated and when the sign-in began (epoch ms), if in another session; by default
   * now.
   */
  authenticatedAt?: number;
  since?: number;
  /** The id of the first session of the sign-in, whose requests in flight continue. */
  firstId?: string;
  /** Set if staff view as the actor: who, why, and until when (epoch ms). */
  viewing?: { staff: Actor; reason: string; until: number };
  /** Set in a practice firm: the own account, and its user, to whom the session belongs. */
  practicedBy?: string;
  prismGuid?: string;
}

/** Starts a session for a contact and returns the cookie value; only its hash is stored. */
export async function startSession(actor: Actor, started: Started): Promise<string> {
  return inTransaction(async () => {
    const { viewing } = started;
    const token = await insertSession(actor, started);
    if (started.since === undefined && !viewing) await endOldest(actor.prismGuid);
    if (!viewing)
      await db()
        .updateTable('users')
        .set({ last_contact_id: actor.contactId })
        .where('prism_guid', '=', actor.prismGuid)
        .execute();
    await audit({
      companyId: actor.companyId,
      actor: viewing ? viewing.staff.contactId : actor.contactId,
      action: 'session.start',
      target: actor.prismGuid,
    });
    return token;
  });
}

const MAX_SESSIONS = 10;

/** Ends the sessions of a user beyond the ten newest. */
async function endOldest(prismGuid: string): Promise<void> {
  const rows = await db()
    .selectFrom('sessions')
    .select('session_hash')
    .where('prism_guid', '=', prismGuid)
    .orderBy('created_at', 'desc')
    .orderBy('session_hash')
    .execute();
  for (const { session_hash: id } of rows.slice(MAX_SESSIONS)) await endSession(id);
}

async function insertSession(
  actor: Actor,
  { amr, device, viewing, practicedBy, prismGuid, ...earlier }: Started,
): Promise<string> {
  const token = newToken();
  const id = sha256(token);
  const instant = now();
  const view = viewing && {
    viewer_contact_id: viewing.staff.contactId,
    view_reason: encryptFor('sessions.view_reason', id, viewing.reason),
    view_until: viewing.until,
  };
  await db()
    .insertInto('sessions')
    .values({
      session_hash: id,
      prism_guid: prismGuid ?? (viewing ? viewing.staff.prismGuid : actor.prismGuid),
      contact_id: actor.contactId,
      company_id: actor.companyId,
      amr: JSON.stringify(amr),
      device: encryptFor('sessions.device', id, JSON.stringify(device)),
      created_at: earlier.since ?? instant,
      last_seen_at: instant,
      authenticated_at: earlier.authenticatedAt ?? instant,
      first_hash: earlier.firstId ?? null,
      practiced_by: practicedBy ?? null,
      ...view,
    })
    .execute();
  return token;
}

interface Exchanged {
  viewing?: Started['viewing'];
  /** The account of somebody who enters a practice firm, null for whoever leaves it; unchanged by default. */
  practicedBy?: string | null;
}

/**
 * Replaces a session by another one of the same sign-in, with a new id (threat-model.md T22): its age, proofs
 * and device stay. Returns the new cookie value; undefined if the session had ended, so that of two
 * concurrent calls one succeeds.
 */
export function exchangeSession(
  id: string,
  actor: Actor,
  { viewing, practicedBy }: Exchanged = {},
): Promise<string | undefined> {
  return inTransaction(async () => {
    const row = await db()
      .deleteFrom('sessions')
      .where('session_hash', '=', id)
      .returning(['prism_guid', 'amr', 'device', 'created_at', 'authenticated_at', 'practiced_by'])
      .executeTakeFirst();
    if (!row) return undefined;
    const device = JSON.parse(decryptFrom('sessions.device', id, row.device)) as Device;
    const practice = practicedBy === undefined ? row.practiced_by : practicedBy;
    const token = await insertSession(actor, {
      amr: JSON.parse(row.amr) as string[],
      device,
      since: row.created_at,
      authenticatedAt: row.authenticated_at,
      ...(viewing && { viewing }),
      ...(practice !== null && { practicedBy: practice, prismGuid: row.prism_guid }),
    });
    await moveTokens(id, sha256(token));
    return token;
  });
}

/**
 * Finds the session of a cookie in which staff viewed as a contact until their time was up, and the staff
 * member; undefined if the sign-in itself has expired too.
 */
export async function expiredImpersonation(
  token: string | undefined,
): Promise<{ id: string; contactId: string; staff: Actor } | undefined> {
  if (!token) return undefined;
  const id = sha256(token);
  const row = await db()
    .selectFrom('sessions')
    .select(['contact_id', 'created_at', 'last_seen_at', 'viewer_contact_id'])
    .where('session_hash', '=', id)
    .where('view_until', '<', now())
    .executeTakeFirst();
  if (!row?.viewer_contact_id || isOver(row, lastSeen(id, row.last_seen_at))) return undefined;
  const staff = await liveActor(row.viewer_contact_id);
  return staff?.staff ? { id, contactId: row.contact_id, staff } : undefined;
}

const isOver = (row: { created_at: number }, seenAt: number): boolean =>
  now() - seenAt > IDLE || now() > row.created_at + ABSOLUTE;

/**
 * Finds the active session of a cookie. Its contact is reloaded each time: a revoked permission is gone with
 * the next request. It ends if the firm requires a second factor by now that the sign-in did not have; the next one
 * leads to where it is set up. Background requests of a page (`inBackground`) do not extend an idle session. `onLockOut`
 * is called if it ends here because the firm is locked.
 */
export async function findSession(
  token: string | undefined,
  { inBackground = false, onLockOut }: { inBackground?: boolean; onLockOut?: () => void } = {},
): Promise<Session | undefined> {
  if (!token) return undefined;
  const id = sha256(token);
  const row = await db()
    .selectFrom('sessions')
    .select([
      'session_hash',
      'first_hash',
      'contact_id',
      'amr',
      'created_at',
      'last_seen_at',
      'authenticated_at',
      'viewer_contact_id',
      'view_until',
      'practiced_by',
    ])
    .where('session_hash', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const seenAt = lastSeen(id, row.last_seen_at);
  const [instant, over] = [now(), isOver(row, seenAt)];
  // It grants nothing any more, but the next page request leads back to the own session (lookThatEnded).
  if (row.view_until !== null && instant > row.view_until && !over) return undefined;
  const overAt = Math.min(row.created_at + ABSOLUTE, row.view_until ?? Infinity);
  const amr = JSON.parse(row.amr) as string[];
  const found = over ? undefined : await liveActor(row.contact_id, onLockOut);
  const staff = row.viewer_contact_id === null ? undefined : await liveActor(row.viewer_contact_id);
  const own = row.viewer_contact_id === null ? found : staff;
  const isTooWeak = own !== undefined && lacksSecondStep(own, amr);
  if ((over || isTooWeak) && row.viewer_contact_id === null)
    await unlessStorageIsFull(() => rememberEnd(row));
  const actor = isTooWeak ? undefined : found;
  const isForeign =
    actor !== undefined &&
    ((row.viewer_contact_id !== null && !(await maySeeAs(staff, actor))) ||
      (row.practiced_by !== null && !(await mayPractice(row.practiced_by, amr))));
  if (!actor || isForeign) {
    await unlessStorageIsFull(() => endSession(id, { byItself: over }));
    return undefined;
  }
  if (!inBackground) see(id, row.last_seen_at, instant);
  return {
    id,
    actor: { ...actor, sessionId: row.first_hash ?? id, ...(staff && { viewedBy: staff.contactId }) },
    expiresAt: Math.min((inBackground ? seenAt : instant) + IDLE, overAt),
    amr,
    authenticatedAt: row.authenticated_at,
    termsDue: !staff && actor.termsDue,
    hasOtherAccounts: !staff && actor.hasOtherAccounts,
    ...(staff && { viewing: { staff, until: row.view_until ?? overAt } }),
    ...(row.practiced_by !== null && { practicedBy: row.practiced_by }),
  };
}

/** Whether the own account of somebody in a practice firm is still good: with it ends what they have there. */
async function mayPractice(contactId: string, amr: readonly string[]): Promise<boolean> {
  const own = await liveActor(contactId);
  return own !== undefined && own.staff && canAccessPortal(own) && !lacksSecondStep(own, amr);
}

async function rememberEnd(row: {
  session_hash: string;
  first_hash: string | null;
  contact_id: string;
}): Promise<void> {
  const ended = { contact_id: row.contact_id, ended_at: now() };
  const ids = [row.session_hash, ...(row.first_hash === null ? [] : [row.first_hash])];
  await db()
    .insertInto('ended_sessions')
    .values(ids.map((id) => ({ session_hash: id, ...ended })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Switches to another contact of the same user, in a new session (threat-model.md T22): returns the cookie
 * value and the contact. The proofs and the end of the sign-in stay the same, and work that began before goes on, as
 * the contact who began it. NOT_FOUND unless the contact is
 * theirs and its firm is not locked; FORBIDDEN with an API token, or while viewing as a contact;
 * MFA_AUTHENTICATION_REQUIRED if the firm requires a second factor that was not used.
 */
export async function switchAccount(
  session: Session,
  contactId: string,
  device: Device,
): Promise<{ token: string; actor: Actor }> {
  if (session.byToken !== undefined || session.viewing || session.practicedBy !== undefined)
    throw new PortalError('FORBIDDEN');
  return inTransaction(async () => {
    const actor = await liveActor(contactId);
    const old = await db()
      .selectFrom('sessions')
      .select(['created_at', 'first_hash'])
      .where('session_hash', '=', session.id)
      .executeTakeFirst();
    if (!old || actor?.prismGuid !== session.actor.prismGuid) throw notFound();
    if (!session.amr.includes('mfa') && (await needsSecondStep(actor.prismGuid, contactId)))
      throw new PortalError('MFA_AUTHENTICATION_REQUIRED');
    const token = await startSession(actor, {
      amr: session.amr,
      device,
      authenticatedAt: session.authenticatedAt,
      since: old.created_at,
      firstId: old.first_hash ?? session.id,
    });
    await moveTokens(session.id, sha256(token));
    await audit({
      companyId: session.actor.companyId,
      actor: session.actor.contactId,
      action: 'session.switch',
      target: contactId,
    });
    await endSession(session.id);
    return { token, actor };
  });
}

/**
 * Tells whether staff may view as this contact: with the permission, in their own firm, and never as other
 * staff (threat-model.md T17).
 */
export const maySeeAs = async (staff: Actor | undefined, contact: Actor): Promise<boolean> =>
  staff !== undefined &&
  staff.staff &&
  staff.access.permissions.has('ViewAs') &&
  !contact.staff &&
  contact.companyId === staff.companyId &&
  (staff.hasAllClients ||
    ((await seesContact(staff, contact.contactId)) && !(await hasForeignClients(staff, contact.contactId))));

/**
 * Ends a session, and the API tokens that it issued. A session that ended `byItself`, idle or expired, leaves
 * its tokens: they have their own expiry, no later than the sign-in's, and a program works without anybody at
 * the browser.
 */
export async function endSession(id: string, { byItself = false } = {}): Promise<void> {
  await inTransaction(async () => {
    if (!byItself) await endTokensOf(id);
    const ended = await db()
      .deleteFrom('sessions')
      .where('session_hash', '=', id)
      .returning(ENDED_SESSION)
      .executeTakeFirst();
    if (ended) await noteSessionEnd(ended, { byItself });
  });
}

/** Sends those who practice in a firm that ends back to their own one. */
export async function endPractice(companyId: string): Promise<void> {
  const sessions = await db()
    .selectFrom('sessions')
    .innerJoin('contacts', 'contacts.contact_id', 'sessions.practiced_by')
    .select(['sessions.session_hash', 'contacts.contact_id', 'contacts.company_id'])
    .where('sessions.company_id', '=', companyId)
    .execute();
  for (const { session_hash: id, contact_id, company_id } of sessions)
    await db()
      .updateTable('sessions')
      .set({
        contact_id,
        company_id,
        practiced_by: null,
        viewer_contact_id: null,
        view_reason: null,
        view_until: null,
      })
      .where('session_hash', '=', id)
      .execute();
}

/** Ends every session and token: after a restore nobody knows which of them were ended before. */
export async function endAllSessions(): Promise<void> {
  for (const table of ['sessions', 'long_tokens', 'ended_sessions', 'kept_forms'] as const)
    await db().deleteFrom(table).execute();
}

/** Removes expired sessions. */
export async function sweepSessions(): Promise<void> {
  await writeLastSeen();
  const instant = now();
  await inTransaction(async () => {
    const over = await db()
      .deleteFrom('sessions')
      .where((e) => e.or([e('last_seen_at', '<', instant - IDLE), e('created_at', '<', instant - ABSOLUTE)]))
      .returning(ENDED_SESSION)
      .execute();
    for (const row of over) {
      // The expiry of a session is not audited, but the end of a view is.
      if (row.viewer_contact_id === null) await rememberEnd(row);
      else await noteSessionEnd(row, { byItself: true });
    }
    await db()
      .deleteFrom('ended_sessions')
      .where('ended_at', '<', instant - REMEMBERED)
      .execute();
  });
  await sweepApiTokens();
  await sweepSavedForms();
}

/** Returns the session bindings as the spec's pages read them. */
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
      FeatureResourcePermissions: Object.fromEntries(
        accessNames('permission').map((name) => [name, permissions.has(name)]),
      ),
      InfrastructureAccessControls: accessNames('control').filter((name) => controls.has(name)),
    },
  };
}
