import type { Actor } from '#features/people/people.ts';
import { MINUTE, now } from '#platform/clock.server.ts';
import { newToken, sha256 } from '#platform/crypto.server.ts';
import { db } from '#platform/database.server.ts';

/** A token that starts a session for this person, once, within a minute; only its hash is stored. It is no ticket of the sign-in page. */
export async function issueLongToken({ prismGuid }: Actor): Promise<string> {
  const token = newToken();
  await db().insertInto('login_tickets').values({ ticket_hash: sha256(`long-token/${token}`), prism_guid: prismGuid, expires_at: now() + MINUTE }).execute();
  return token;
}
