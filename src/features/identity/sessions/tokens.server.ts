import type { IncomingHttpHeaders } from 'node:http';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { assertRecentlyAuthenticated } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { HOUR, now, SECOND } from '#platform/runtime/clock.server.ts';
import { newId, newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError, unlessStorageIsFull } from '#platform/runtime/errors.server.ts';
import { lacksSecondStep, liveActor } from './live-actor.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { tokenMail } from './mails.server.ts';
import { MAX_TOKEN_HOURS, type ApiToken } from './sessions.ts';
import { ABSOLUTE } from './time-outs.server.ts';

/*
 * Long tokens (spec 1 sections 4 and 7; threat-model.md T19, T20): API tokens authenticate programs, and link
 * tokens hand a sign-in to a browser. They have 256 bits, of which only the hash is stored; the token itself
 * is returned once and never logged.
 */

const LINK_LIVES = 60 * SECOND;
const MAX_TOKENS = 20;

/** The proofs of the issuing session, which its token passes on. */
interface Proof {
  amr: readonly string[];
  authenticatedAt: number;
  /** When that session began (epoch ms), since a session started by a link expires with it. */
  since: number;
}

interface Issued {
  /** Returned here only. */
  token: string;
  tokenId: string;
  /** Epoch ms. */
  expiresAt: number;
}

/** Issues a link token for one use within 60 seconds. FORBIDDEN for staff who view as a contact. */
export const issueLink = (actor: Actor, proof: Proof): Promise<Issued> =>
  insertToken(actor, { kind: 'link', proof, expiresAt: now() + LINK_LIVES });

/**
 * Issues an API token and notifies its owner by mail. It is valid for `hours` (at most 12), never longer than
 * the sign-in, and ends when the session that issued it is signed out. STEP_UP unless recently authenticated,
 * TOO_MANY beyond 20 active ones, FORBIDDEN with a token, in a practice firm or while viewing as a contact.
 */
export async function issueApiToken(session: Session, hours = MAX_TOKEN_HOURS): Promise<Issued> {
  const { actor } = session;
  const isOwn = session.byToken === undefined && session.practicedBy === undefined;
  if (!isOwn || actor.viewedBy !== undefined) throw new PortalError('FORBIDDEN');
  assertRecentlyAuthenticated(session);
  const since = await sessionSince(session);
  const proof = { amr: session.amr, authenticatedAt: session.authenticatedAt, since };
  const expiresAt = Math.min(now() + Math.min(hours, MAX_TOKEN_HOURS) * HOUR, since + ABSOLUTE);
  const firm = await firmOf(actor.companyId);
  return inTransaction(async () => {
    if ((await listApiTokens(actor)).length >= MAX_TOKENS)
      throw new PortalError('TOO_MANY', { most: MAX_TOKENS, retryAfter: 60 });
    const issued = await insertToken(actor, { kind: 'api', proof, expiresAt, sessionId: session.id });
    await queueMail(tokenMail(firm, actor, expiresAt), newId('notice'));
    return issued;
  });
}

/** The start of the session (epoch ms): its tokens expire no later than the sign-in. */
export async function sessionSince(session: Session): Promise<number> {
  const row = await db()
    .selectFrom('sessions')
    .select('created_at')
    .where('session_hash', '=', session.id)
    .executeTakeFirst();
  return row?.created_at ?? now();
}

interface NewToken {
  kind: 'link' | 'api';
  proof: Proof;
  expiresAt: number;
  sessionId?: string;
}

async function insertToken(actor: Actor, { kind, proof, expiresAt, sessionId }: NewToken): Promise<Issued> {
  if (actor.viewedBy !== undefined) throw new PortalError('FORBIDDEN');
  const token = newToken();
  const tokenId = newId('token');
  await inTransaction(async () => {
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
        session_hash: sessionId ?? null,
        created_at: now(),
        expires_at: expiresAt,
      })
      .execute();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'token.issue',
      target: tokenId,
      details: { kind },
    });
  });
  return { token, tokenId, expiresAt };
}

/** Lists the active API tokens of a contact, the newest first. */
export async function listApiTokens(actor: Actor): Promise<ApiToken[]> {
  const rows = await db()
    .selectFrom('long_tokens')
    .select(['token_id', 'created_at', 'expires_at', 'used_at'])
    .where('contact_id', '=', actor.contactId)
    .where('kind', '=', 'api')
    .where('expires_at', '>', now())
    .orderBy('created_at', 'desc')
    .orderBy('token_id')
    .execute();
  return rows.map((row) => ({
    tokenId: row.token_id,
    createdAt: iso(row.created_at),
    expiresAt: iso(row.expires_at),
    lastUsedAt: row.used_at === null ? null : iso(row.used_at),
  }));
}

const iso = (instant: number): string => new Date(instant).toISOString();

/** Revokes a token of this contact; NOT_FOUND for any other. */
export async function revokeApiToken(actor: Actor, tokenId: string): Promise<void> {
  await inTransaction(async () => {
    const gone = await db()
      .deleteFrom('long_tokens')
      .where('token_id', '=', tokenId)
      .where('contact_id', '=', actor.contactId)
      .where('kind', '=', 'api')
      .returning('token_id')
      .executeTakeFirst();
    if (!gone) throw notFound();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'token.revoke',
      target: tokenId,
    });
  });
}

/** Reads the API token of the `Authorization` header, with the scheme `LongToken` or `Bearer`. */
export const apiTokenIn = ({ authorization }: IncomingHttpHeaders): string | undefined =>
  /^(?:LongToken|Bearer) +([\w-]{43})$/i.exec(authorization ?? '')?.[1];

const NOTE_EVERY = 60 * SECOND;

/**
 * Finds the caller of an `api` token. It is never recently authenticated, so actions that require that are
 * refused.
 */
export async function findTokenSession(token: string): Promise<Session | undefined> {
  const hash = sha256(token);
  const instant = now();
  const row = await db()
    .selectFrom('long_tokens')
    .selectAll()
    .where('token_hash', '=', hash)
    .where('kind', '=', 'api')
    .where('expires_at', '>', instant)
    .executeTakeFirst();
  const actor = row && (await liveActor(row.contact_id));
  if (!row || !actor) return undefined;
  const amr = JSON.parse(row.amr) as string[];
  if (lacksSecondStep(actor, amr)) return undefined;
  if (instant - (row.used_at ?? 0) > NOTE_EVERY) await unlessStorageIsFull(() => noteUsed(hash, instant));
  return {
    id: hash,
    actor: { ...actor, sessionId: hash },
    expiresAt: row.expires_at,
    amr,
    authenticatedAt: 0,
    termsDue: actor.termsDue,
    hasOtherAccounts: actor.hasOtherAccounts,
    byToken: row.token_id,
  };
}

const noteUsed = (hash: string, instant: number) =>
  db().updateTable('long_tokens').set({ used_at: instant }).where('token_hash', '=', hash).execute();

const unused = (token: string) => ({ token_hash: sha256(token), kind: 'link' as const });

/**
 * Finds whom a link token would sign in, without using it; undefined if it was used, has expired or never
 * existed.
 */
export async function peekAtLink(token: string | undefined): Promise<Actor | undefined> {
  if (!token) return undefined;
  const row = await db()
    .selectFrom('long_tokens')
    .select('contact_id')
    .where((e) => e.and(unused(token)))
    .where('used_at', 'is', null)
    .where('expires_at', '>', now())
    .executeTakeFirst();
  return row && liveActor(row.contact_id);
}

/**
 * Uses a link token and returns whom it signs in, with the proofs of the session that issued it;
 * UNAUTHENTICATED for every other token.
 */
export async function redeemLink(token: string | undefined): Promise<{ actor: Actor; proof: Proof }> {
  const instant = now();
  const row = token
    ? await db()
        .updateTable('long_tokens')
        .set({ used_at: instant })
        .where((e) => e.and(unused(token)))
        .where('used_at', 'is', null)
        .where('expires_at', '>', instant)
        .returning(['contact_id', 'amr', 'authenticated_at', 'session_since'])
        .executeTakeFirst()
    : undefined;
  const actor = row && (await liveActor(row.contact_id));
  if (!row || !actor) throw new PortalError('UNAUTHENTICATED');
  return {
    actor,
    proof: {
      amr: JSON.parse(row.amr) as string[],
      authenticatedAt: row.authenticated_at,
      since: row.session_since,
    },
  };
}

/** Ends the tokens issued by a session, when it is signed out. */
export async function endTokensOf(sessionId: string): Promise<void> {
  await db().deleteFrom('long_tokens').where('session_hash', '=', sessionId).execute();
}

/** Moves the tokens of a session that gets a new id. */
export async function moveTokens(sessionId: string, newSessionId: string): Promise<void> {
  await db()
    .updateTable('long_tokens')
    .set({ session_hash: newSessionId })
    .where('session_hash', '=', sessionId)
    .execute();
}

/** Removes expired tokens. */
export async function sweepApiTokens(): Promise<void> {
  await db().deleteFrom('long_tokens').where('expires_at', '<=', now()).execute();
}
