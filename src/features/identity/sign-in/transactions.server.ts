import type { Selectable } from 'kysely';
import { purpose as purposeSchema } from '#features/identity/external-sign-in/external-sign-in.ts';
import type {
  SignInTransaction,
  StartedTransaction,
} from '#features/identity/external-sign-in/transaction.server.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, withoutSync } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';

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
 * Takes the transaction of a browser, once: a second callback with the same cookie finds nothing. A response
 * with another state does not use it, so that nobody's link breaks a pending sign-in.
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
