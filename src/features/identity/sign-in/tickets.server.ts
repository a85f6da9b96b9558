import { now } from '#platform/runtime/clock.server.ts';
import { newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, withoutSync } from '#platform/database/database.server.ts';

/**
 * A proof, for a minute and one use, that the person at this browser has just authenticated, and how (`amr`,
 * RFC 8176).
 */
export async function addTicket(
  prismGuid: string,
  amr: readonly string[],
  lifetime: number,
): Promise<string> {
  const token = newToken();
  const row = {
    ticket_hash: sha256(token),
    prism_guid: prismGuid,
    amr: JSON.stringify(amr),
    expires_at: now() + lifetime,
  };
  await withoutSync(() => db().insertInto('login_tickets').values(row).execute());
  return token;
}

export async function takeTicket(token: string): Promise<{ prismGuid: string; amr: string[] } | undefined> {
  const ticket = db()
    .deleteFrom('login_tickets')
    .where('ticket_hash', '=', sha256(token))
    .returning(['prism_guid', 'amr', 'expires_at']);
  const row = await withoutSync(() => ticket.executeTakeFirst());
  return row && row.expires_at > now()
    ? { prismGuid: row.prism_guid, amr: JSON.parse(row.amr) as string[] }
    : undefined;
}

/** Tells whether a ticket is still valid. */
export async function isLiveTicket(token: string): Promise<boolean> {
  const row = await db()
    .selectFrom('login_tickets')
    .select('expires_at')
    .where('ticket_hash', '=', sha256(token))
    .executeTakeFirst();
  return row !== undefined && row.expires_at > now();
}
