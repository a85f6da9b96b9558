import { actorOf } from '#features/people/people.server.ts';
import type { Actor, Session } from '#features/people/people.ts';
import { audit } from '#platform/audit.server.ts';
import { HOUR, MINUTE, now, SECOND } from '#platform/clock.server.ts';
import { newToken, sha256 } from '#platform/crypto.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { refusal } from '#platform/errors.server.ts';
import type { SessionInfo } from './session.ts';

/** Idle and absolute time-outs (security.md 4.1). */
const IDLE = 30 * MINUTE;
const ABSOLUTE = 12 * HOUR;
/** The last request is noted at most this often: the calls of one page are one write. */
const NOTE_EVERY = SECOND;

/** Starts a session for a contact and answers the cookie's value; only its hash is stored. */
export async function startSession(actor: Actor, amr: readonly string[]): Promise<string> {
  const token = newToken();
  const instant = now();
  const row = { prism_guid: actor.prismGuid, contact_id: actor.contactId, company_id: actor.companyId, amr: JSON.stringify(amr), created_at: instant, last_seen_at: instant };
  await inTransaction(async () => {
    await db().insertInto('sessions').values({ ...row, session_hash: sha256(token) }).execute();
    await audit({ companyId: actor.companyId, actor: actor.contactId, action: 'session.start', target: actor.prismGuid });
  });
  return token;
}

/** The live session of a cookie. Its contact is read anew each time: a right that was taken away is gone with the next request. */
export async function findSession(token: string | undefined): Promise<Session | undefined> {
  if (!token) return undefined;
  const id = sha256(token);
  const row = await db().selectFrom('sessions').select(['contact_id', 'created_at', 'last_seen_at']).where('session_hash', '=', id).executeTakeFirst();
  if (!row) return undefined;
  const instant = now();
  if (instant - row.last_seen_at > IDLE || instant - row.created_at > ABSOLUTE) {
    await endSession(id);
    return undefined;
  }
  const actor = await actorOf(row.contact_id).catch((error: unknown) => {
    if (refusal(error)?.code === 'NOT_FOUND') return undefined;
    throw error;
  });
  if (!actor || actor.firmLocked) {
    await endSession(id);
    return undefined;
  }
  if (instant - row.last_seen_at > NOTE_EVERY) await db().updateTable('sessions').set({ last_seen_at: instant }).where('session_hash', '=', id).execute();
  return { id, actor, expiresAt: Math.min(instant + IDLE, row.created_at + ABSOLUTE) };
}

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
export function describeSession({ actor, expiresAt }: Session): SessionInfo {
  return {
    meta: {
      PrismGuid: actor.prismGuid,
      FirstName: actor.firstName,
      LastName: actor.lastName,
      EmailAddress: actor.emailAddress,
      SessionExpiresDateTime: new Date(expiresAt).toISOString(),
      EmulateePrismGuid: null,
    },
    bindings: {
      ApplicationConfiguration: { CompanyId: actor.companyId, ContactId: actor.contactId },
      FeatureResourcePermissions: { DefaultClient: !actor.staff, DefaultStaff: actor.staff },
      InfrastructureAccessControls: [],
    },
  };
}
