import { MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import { setCookie } from '#platform/http/cookies.server.ts';
import { newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, withoutSync } from '#platform/database/database.server.ts';

/*
 * A sign-in between its two factors: the password was right, but there is no session, and only the pages of
 * the second step are available (threat-model.md T29).
 */

const LASTS = 10 * MINUTE;

export interface PendingSignIn {
  prismGuid: string;
  /** The authentication methods so far (RFC 8176). */
  amr: string[];
  /** The page first requested. */
  returnTo: string;
}

/** Stores a sign-in without its second factor and returns its cookie. */
export async function startPending({ prismGuid, amr, returnTo }: PendingSignIn): Promise<string> {
  const token = newToken();
  const row = {
    pending_hash: sha256(token),
    prism_guid: prismGuid,
    amr: JSON.stringify(amr),
    return_to: returnTo,
    expires_at: now() + LASTS,
  };
  await withoutSync(() => db().insertInto('pending_sign_ins').values(row).execute());
  return setCookie('pending', token, LASTS / SECOND);
}

export async function pendingSignIn(token: string | undefined): Promise<PendingSignIn | undefined> {
  const row =
    token === undefined
      ? undefined
      : await db()
          .selectFrom('pending_sign_ins')
          .selectAll()
          .where('pending_hash', '=', sha256(token))
          .executeTakeFirst();
  return row && row.expires_at > now()
    ? { prismGuid: row.prism_guid, amr: JSON.parse(row.amr) as string[], returnTo: row.return_to }
    : undefined;
}

/** Takes the pending sign-in, once: a second use of the same cookie finds nothing. */
export async function takePending(token: string): Promise<PendingSignIn | undefined> {
  const pending = await pendingSignIn(token);
  const row = db().deleteFrom('pending_sign_ins').where('pending_hash', '=', sha256(token));
  const { numDeletedRows } = await withoutSync(() => row.executeTakeFirst());
  return numDeletedRows === 1n ? pending : undefined;
}

/** Records that the second step is done, before the person continues. */
export async function notePendingProof(token: string, amr: readonly string[]): Promise<void> {
  await db()
    .updateTable('pending_sign_ins')
    .set({ amr: JSON.stringify(amr) })
    .where('pending_hash', '=', sha256(token))
    .execute();
}

/** Ends all pending sign-ins of somebody. */
export async function forgetPendingOf(prismGuid: string): Promise<void> {
  await db().deleteFrom('pending_sign_ins').where('prism_guid', '=', prismGuid).execute();
}
