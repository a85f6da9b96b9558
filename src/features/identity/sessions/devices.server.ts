import { endSessionsOf } from '#features/base/people/people.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { encryptFor, decryptFrom } from '#platform/security/encryption.server.ts';
import { describeDevice, type OwnSession } from './devices.ts';
import { lastSeen } from './last-seen.server.ts';
import { endTokensOf, moveTokens } from './tokens.server.ts';
import { ABSOLUTE, IDLE } from './time-outs.server.ts';

/*
 * The sessions of a person: their list, and how they are ended. FORBIDDEN while viewing as a contact.
 */

function ownerOf({ actor, viewing }: Session): string {
  if (viewing) throw new PortalError('FORBIDDEN');
  return actor.prismGuid;
}

/**
 * Lists the active sessions of the person, the last used first; expired ones are omitted even before they are
 * swept.
 */
export async function listSessions(session: Session): Promise<OwnSession[]> {
  const instant = now();
  const rows = await db()
    .selectFrom('sessions')
    .select(['session_hash', 'device', 'created_at', 'last_seen_at'])
    .where('prism_guid', '=', ownerOf(session))
    .where('created_at', '>=', instant - ABSOLUTE)
    .execute();
  const live = rows
    .map((row) => ({ ...row, seenAt: lastSeen(row.session_hash, row.last_seen_at) }))
    .filter(({ seenAt }) => seenAt >= instant - IDLE);
  return live
    .toSorted((one, other) => other.seenAt - one.seenAt)
    .map((row) => {
      const { userAgent, network } = JSON.parse(
        decryptFrom('sessions.device', row.session_hash, row.device),
      ) as { userAgent: string; network: string };
      return {
        id: row.session_hash,
        ...describeDevice(userAgent),
        network,
        startedAt: new Date(row.created_at).toISOString(),
        lastSeenAt: new Date(row.seenAt).toISOString(),
        isThisOne: row.session_hash === session.id,
      };
    });
}

/** Ends one session of the person; NOT_FOUND unless it is theirs. */
export async function endOwnSession(session: Session, id: string): Promise<void> {
  const prismGuid = ownerOf(session);
  await inTransaction(async () => {
    const ended = await db()
      .deleteFrom('sessions')
      .where('session_hash', '=', id)
      .where('prism_guid', '=', prismGuid)
      .returning(['company_id', 'contact_id'])
      .executeTakeFirst();
    if (!ended) throw notFound();
    await endTokensOf(id);
    await audit({
      companyId: ended.company_id,
      actor: ended.contact_id,
      action: 'session.end',
      target: prismGuid,
    });
  });
}

/** Ends every session of the person but this one; returns their number. */
export async function endOtherSessions(session: Session): Promise<number> {
  return endSessionsOf(ownerOf(session), session.id);
}

/**
 * Records a new proof, of now or of the time that an external issuer reports, and renames the session, since
 * its rights increase (threat-model.md T22). Work that began before goes on. Returns the cookie value, and the time.
 */
export async function renewSession(
  session: Session,
  how: readonly string[],
  authenticatedAt = now(),
): Promise<{ token: string; authenticatedAt: number }> {
  const prismGuid = ownerOf(session);
  const token = newToken();
  const id = sha256(token);
  const row = await db()
    .selectFrom('sessions')
    .select(['device', 'first_hash'])
    .where('session_hash', '=', session.id)
    .executeTakeFirst();
  if (!row) throw new PortalError('UNAUTHENTICATED');
  const device = encryptFor('sessions.device', id, decryptFrom('sessions.device', session.id, row.device));
  const { numUpdatedRows } = await db()
    .updateTable('sessions')
    .set({
      session_hash: id,
      first_hash: row.first_hash ?? session.id,
      device,
      amr: JSON.stringify([...new Set([...session.amr, ...how])]),
      authenticated_at: authenticatedAt,
    })
    .where('session_hash', '=', session.id)
    .where('prism_guid', '=', prismGuid)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new PortalError('UNAUTHENTICATED');
  await moveTokens(session.id, id);
  return { token, authenticatedAt };
}
