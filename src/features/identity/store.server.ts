import type { Selectable } from 'kysely';
import { MINUTE, now } from '#platform/clock.server.ts';
import { newToken, sha256 } from '#platform/crypto.server.ts';
import { db, fold, withoutSync } from '#platform/database.server.ts';
import type { Tables } from '#platform/schema.server.ts';
import { encryptFor, decryptFrom } from '#platform/encryption.server.ts';
import { blindIndex } from '#platform/settings.server.ts';
import { purpose as purposeSchema, type Purpose } from './identity.ts';

export async function userByEmail(email: string) {
  return db()
    .selectFrom('users')
    .select(['prism_guid', 'password_hash'])
    .where('email_key', '=', await blindIndex(fold(email)))
    .executeTakeFirst();
}

export async function userByGuid(prismGuid: string) {
  const row = await db()
    .selectFrom('users')
    .select(['prism_guid', 'email', 'first_name', 'last_name', 'language'])
    .where('prism_guid', '=', prismGuid)
    .executeTakeFirst();
  return row && { ...row, email: decryptFrom('users.email', prismGuid, row.email) };
}

export async function passwordOf(prismGuid: string): Promise<string | null> {
  return (
    (
      await db()
        .selectFrom('users')
        .select('password_hash')
        .where('prism_guid', '=', prismGuid)
        .executeTakeFirst()
    )?.password_hash ?? null
  );
}

/**
 * A proof, for a minute and one use, that the person at this browser has just shown who they are, and how
 * (`amr`, RFC 8176).
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

/** Whether a ticket can still be taken. */
export async function isLiveTicket(token: string): Promise<boolean> {
  const row = await db()
    .selectFrom('login_tickets')
    .select('expires_at')
    .where('ticket_hash', '=', sha256(token))
    .executeTakeFirst();
  return row !== undefined && row.expires_at > now();
}

interface SignInTransaction {
  state: string;
  nonce: string;
  code_verifier: string;
  redirect_uri: string;
  return_to: string;
  purpose: Purpose;
}

/** Epoch ms. */
export type StartedTransaction = SignInTransaction & { startedAt: number };

export const TRANSACTION_LASTS = 10 * MINUTE;

export async function addTransaction({ purpose, ...transaction }: SignInTransaction): Promise<string> {
  const token = newToken();
  const id = sha256(token);
  const isPlain = purpose.kind === 'sign-in';
  const row = {
    ...transaction,
    transaction_hash: id,
    purpose: isPlain ? null : encryptFor('sign_in_transactions.purpose', id, JSON.stringify(purpose)),
    expires_at: now() + TRANSACTION_LASTS,
  };
  await withoutSync(() => db().insertInto('sign_in_transactions').values(row).execute());
  return token;
}

/**
 * The transaction of a browser, once: a second callback with the same cookie finds nothing. An answer of
 * another state leaves it alone, so that nobody's link breaks a sign-in that is under way.
 */
export async function takeTransaction(token: string, state: string): Promise<StartedTransaction | undefined> {
  const started = db()
    .deleteFrom('sign_in_transactions')
    .where('transaction_hash', '=', sha256(token))
    .where('state', '=', state)
    .returningAll();
  const row = await withoutSync(() => started.executeTakeFirst());
  return row && row.expires_at > now() ? startedTransaction(row) : undefined;
}

function startedTransaction(row: Selectable<Tables['sign_in_transactions']>): StartedTransaction {
  const { transaction_hash: id, expires_at: expiresAt, purpose, ...transaction } = row;
  const json =
    purpose === null ? '{"kind":"sign-in"}' : decryptFrom('sign_in_transactions.purpose', id, purpose);
  return {
    ...transaction,
    purpose: purposeSchema.parse(JSON.parse(json)),
    startedAt: expiresAt - TRANSACTION_LASTS,
  };
}

/**
 * Forgets every sign-in that is under way, every code and ticket, and every link and invitation that is open:
 * after a restore nobody knows which of them were used.
 */
export async function forgetSignIns(): Promise<void> {
  for (const table of [
    'login_tickets',
    'sign_in_transactions',
    'pending_sign_ins',
    'passkey_challenges',
    'oidc_payloads',
    'password_resets',
    'rescue_codes',
    'recovery_codes',
  ] as const)
    await db().deleteFrom(table).execute();
  await db()
    .updateTable('invitations')
    .set({ revoked_at: now() })
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Removes the steps of sign-ins that are over: strangers can begin some, so it is done every minute. */
export async function sweepStarted(): Promise<void> {
  await db().deleteFrom('login_tickets').where('expires_at', '<', now()).execute();
  await db().deleteFrom('sign_in_transactions').where('expires_at', '<', now()).execute();
  await db().deleteFrom('pending_sign_ins').where('expires_at', '<', now()).execute();
  await db().deleteFrom('passkey_challenges').where('expires_at', '<', now()).execute();
  await db().deleteFrom('oidc_payloads').where('expires_at', '<', now()).execute();
}
