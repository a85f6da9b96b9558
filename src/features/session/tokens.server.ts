import type { IncomingHttpHeaders } from 'node:http';
import type { Actor, Session } from '#features/people/people.ts';
import { audit } from '#platform/audit.server.ts';
import { HOUR, now, SECOND } from '#platform/clock.server.ts';
import { newId, newToken, sha256 } from '#platform/crypto.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { notFound, PortalError } from '#platform/errors.server.ts';
import { liveActor } from './live-actor.server.ts';
import { MOST_TOKEN_HOURS, type LongToken } from './session.ts';
import { termsAreDue } from './terms.server.ts';

/*
 * Long tokens (spec 1 sections 4 and 7; security.md T19, T20): what is not a browser signs in with them, and a link carries one into a
 * browser. 256 bits, of which only the hash is stored; the token itself is answered once and stands in no log.
 */

const LINK_LIVES = 60 * SECOND;
const MOST_TOKENS = 20;

/** What the issuing session had proved, which its token proves in turn and no more. */
interface Proof {
  amr: readonly string[];
  authenticatedAt: number;
  /** When that session began (epoch ms): what a link starts ends with it. */
  since: number;
}

/**
 * Issues a long token for a contact: `link` for one click within 60 seconds, `api` for calls during `hours` (at most 12). Answers the
 * token, which cannot be read again, its id and its end (epoch ms). TOO_MANY beyond 20 live `api` tokens; staff who look as somebody get FORBIDDEN.
 */
export async function issueLongToken(actor: Actor, { kind, hours = MOST_TOKEN_HOURS, proof }: { kind: 'link' | 'api'; hours?: number; proof: Proof }): Promise<{ token: string; tokenId: string; expiresAt: number }> {
  if (actor.viewedBy !== undefined) throw new PortalError('FORBIDDEN');
  const instant = now();
  const token = newToken();
  const tokenId = newId('token');
  const expiresAt = instant + (kind === 'link' ? LINK_LIVES : Math.min(hours, MOST_TOKEN_HOURS) * HOUR);
  await inTransaction(async () => {
    if (kind === 'api' && (await listLongTokens(actor)).length >= MOST_TOKENS) throw new PortalError('TOO_MANY', { most: MOST_TOKENS, retryAfter: 60 });
    await db()
      .insertInto('long_tokens')
      .values({
        token_hash: sha256(token),
        token_id: tokenId,
        kind,
        prism_guid: actor.prismGuid,
        contact_id: actor.contactId,
        company_id: actor.companyId,
        amr: JSON.stringify(proof.amr),
        authenticated_at: proof.authenticatedAt,
        session_since: proof.since,
        created_at: instant,
        expires_at: expiresAt,
      })
      .execute();
    await audit({ companyId: actor.companyId, actor: actor.contactId, action: 'token.issue', target: tokenId, details: { kind } });
  });
  return { token, tokenId, expiresAt };
}

/** The live tokens of a contact's programs, the youngest first. */
export async function listLongTokens(actor: Actor): Promise<LongToken[]> {
  const rows = await db()
    .selectFrom('long_tokens')
    .select(['token_id', 'created_at', 'expires_at', 'used_at'])
    .where('contact_id', '=', actor.contactId)
    .where('kind', '=', 'api')
    .where('expires_at', '>', now())
    .orderBy('created_at', 'desc')
    .orderBy('token_id')
    .execute();
  return rows.map((row) => ({ tokenId: row.token_id, createdAt: iso(row.created_at), expiresAt: iso(row.expires_at), lastUsedAt: row.used_at === null ? null : iso(row.used_at) }));
}

const iso = (instant: number): string => new Date(instant).toISOString();

/** Ends a token of this contact; NOT_FOUND for any other. */
export async function revokeLongToken(actor: Actor, tokenId: string): Promise<void> {
  await inTransaction(async () => {
    const gone = await db().deleteFrom('long_tokens').where('token_id', '=', tokenId).where('contact_id', '=', actor.contactId).where('kind', '=', 'api').returning('token_id').executeTakeFirst();
    if (!gone) throw notFound();
    await audit({ companyId: actor.companyId, actor: actor.contactId, action: 'token.revoke', target: tokenId });
  });
}

/** The long token in the `Authorization` header of a call, by the scheme LongToken or Bearer. */
export const longTokenIn = ({ authorization }: IncomingHttpHeaders): string | undefined => /^(?:LongToken|Bearer) +([\w-]{43})$/i.exec(authorization ?? '')?.[1];

const NOTE_EVERY = 60 * SECOND;

/** Who calls with an `api` token. It proves nothing anew: what asks for a fresh proof refuses it. */
export async function findTokenSession(token: string): Promise<Session | undefined> {
  const hash = sha256(token);
  const instant = now();
  const row = await db().selectFrom('long_tokens').selectAll().where('token_hash', '=', hash).where('kind', '=', 'api').where('expires_at', '>', instant).executeTakeFirst();
  const actor = row && (await liveActor(row.contact_id));
  if (!row || !actor) return undefined;
  if (instant - (row.used_at ?? 0) > NOTE_EVERY) await db().updateTable('long_tokens').set({ used_at: instant }).where('token_hash', '=', hash).execute();
  return { id: hash, actor, expiresAt: row.expires_at, amr: JSON.parse(row.amr) as string[], authenticatedAt: 0, termsDue: await termsAreDue(actor), byToken: row.token_id };
}

const unused = (token: string) => ({ token_hash: sha256(token), kind: 'link' as const });

/** Whom a link's token would sign in, without using it up; undefined once it was used, is over or never was. */
export async function lookAtLink(token: string | undefined): Promise<Actor | undefined> {
  if (!token) return undefined;
  const row = await db().selectFrom('long_tokens').select('contact_id').where((e) => e.and(unused(token))).where('used_at', 'is', null).where('expires_at', '>', now()).executeTakeFirst();
  return row && liveActor(row.contact_id);
}

/** Uses a link's token up and answers whom it signs in, with the proof of the session that issued it; UNAUTHENTICATED for every other. */
export async function redeemLink(token: string | undefined): Promise<{ actor: Actor; proof: Proof }> {
  const instant = now();
  const row = token
    ? await db().updateTable('long_tokens').set({ used_at: instant }).where((e) => e.and(unused(token))).where('used_at', 'is', null).where('expires_at', '>', instant).returning(['contact_id', 'amr', 'authenticated_at', 'session_since']).executeTakeFirst()
    : undefined;
  const actor = row && (await liveActor(row.contact_id));
  if (!row || !actor) throw new PortalError('UNAUTHENTICATED');
  return { actor, proof: { amr: JSON.parse(row.amr) as string[], authenticatedAt: row.authenticated_at, since: row.session_since } };
}

/** Removes the tokens that nobody can use any more. */
export async function sweepLongTokens(): Promise<void> {
  await db().deleteFrom('long_tokens').where('expires_at', '<=', now()).execute();
}
