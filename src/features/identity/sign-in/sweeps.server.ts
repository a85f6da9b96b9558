import { now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';

/**
 * Removes every pending sign-in, every code and ticket, and every open link and invitation: after a restore
 * nobody knows which of them were used.
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

/** Removes expired steps of sign-ins: strangers can start some, so it runs every minute. */
export async function sweepStarted(): Promise<void> {
  await db().deleteFrom('login_tickets').where('expires_at', '<', now()).execute();
  await db().deleteFrom('sign_in_transactions').where('expires_at', '<', now()).execute();
  await db().deleteFrom('pending_sign_ins').where('expires_at', '<', now()).execute();
  await db().deleteFrom('passkey_challenges').where('expires_at', '<', now()).execute();
  await db().deleteFrom('oidc_payloads').where('expires_at', '<', now()).execute();
}
