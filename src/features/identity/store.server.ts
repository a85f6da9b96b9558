import { now } from '#platform/clock.server.ts';
import { newToken, sha256 } from '#platform/crypto.server.ts';
import { db, fold } from '#platform/database.server.ts';
import { unsealFrom } from '#platform/sealed.server.ts';
import { blindIndex } from '#platform/settings.server.ts';

export async function userByEmail(email: string) {
  return db().selectFrom('users').select(['prism_guid', 'password_hash', 'mfa_required']).where('email_key', '=', await blindIndex(fold(email))).executeTakeFirst();
}

export async function userByGuid(prismGuid: string) {
  const row = await db().selectFrom('users').select(['prism_guid', 'email', 'first_name', 'last_name', 'language', 'mfa_required']).where('prism_guid', '=', prismGuid).executeTakeFirst();
  return row && { ...row, email: unsealFrom('users.email', prismGuid, row.email) };
}

export async function passwordOf(prismGuid: string): Promise<string | null> {
  return (await db().selectFrom('users').select('password_hash').where('prism_guid', '=', prismGuid).executeTakeFirst())?.password_hash ?? null;
}

/** A proof, for a minute and one use, that the person at this browser has just shown who they are, and how (`amr`, RFC 8176). */
export async function addTicket(prismGuid: string, amr: readonly string[], lifetime: number): Promise<string> {
  const token = newToken();
  await db().insertInto('login_tickets').values({ ticket_hash: sha256(token), prism_guid: prismGuid, amr: JSON.stringify(amr), expires_at: now() + lifetime }).execute();
  return token;
}

export async function takeTicket(token: string): Promise<{ prismGuid: string; amr: string[] } | undefined> {
  const row = await db().deleteFrom('login_tickets').where('ticket_hash', '=', sha256(token)).returning(['prism_guid', 'amr', 'expires_at']).executeTakeFirst();
  return row && row.expires_at > now() ? { prismGuid: row.prism_guid, amr: JSON.parse(row.amr) as string[] } : undefined;
}

export interface SignInTransaction {
  state: string;
  nonce: string;
  code_verifier: string;
  redirect_uri: string;
  return_to: string;
}

export async function addTransaction(transaction: SignInTransaction, lifetime: number): Promise<string> {
  const token = newToken();
  await db().insertInto('sign_in_transactions').values({ ...transaction, transaction_hash: sha256(token), expires_at: now() + lifetime }).execute();
  return token;
}

/** The transaction of a browser, once: a second callback with the same cookie finds nothing. An answer of another state leaves it alone, so that nobody's link breaks a sign-in that is under way. */
export async function takeTransaction(token: string, state: string): Promise<SignInTransaction | undefined> {
  const row = await db().deleteFrom('sign_in_transactions').where('transaction_hash', '=', sha256(token)).where('state', '=', state).returningAll().executeTakeFirst();
  return row && row.expires_at > now() ? row : undefined;
}

/** Forgets every sign-in that is under way, every code and ticket, and every link and invitation that is open: after a restore nobody knows which of them were used. */
export async function forgetSignIns(): Promise<void> {
  for (const table of ['login_tickets', 'sign_in_transactions', 'pending_sign_ins', 'passkey_challenges', 'oidc_payloads', 'password_resets', 'rescue_codes'] as const) await db().deleteFrom(table).execute();
  await db().updateTable('invitations').set({ revoked_at: now() }).where('accepted_at', 'is', null).where('revoked_at', 'is', null).execute();
}

export async function sweepSignIns(): Promise<void> {
  await db().deleteFrom('login_tickets').where('expires_at', '<', now()).execute();
  await db().deleteFrom('sign_in_transactions').where('expires_at', '<', now()).execute();
  await db().deleteFrom('pending_sign_ins').where('expires_at', '<', now()).execute();
  await db().deleteFrom('passkey_challenges').where('expires_at', '<', now()).execute();
  await db().deleteFrom('oidc_payloads').where('expires_at', '<', now()).execute();
}
