import { actorNow, assertRecentlyAuthenticated } from '#features/base/people/people.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { isPracticeFirm } from '#platform/runtime/practice.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { ownStripeAccount, withApi } from './providers/stripe-accounts.server.ts';
import { testStripeAccount } from './providers/stripe.server.ts';
import { assertManagesFirm } from './settings.server.ts';

/* The keys of a firm's own account at Stripe (docs/decisions/0085). They are never shown again. */

interface StripeKeys {
  secretKey: string;
  webhookSecret: string;
}

/** The last characters of the key in use; undefined if the firm has entered none. */
export async function accountHint(companyId: string): Promise<string | undefined> {
  const row = await db()
    .selectFrom('payment_accounts')
    .select('hint')
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  return row?.hint;
}

/**
 * Stores the keys of the firm's account, once Stripe accepts them. FORBIDDEN, also in a firm to practice in, STEP_UP unless recently authenticated,
 * INVALID if Stripe refuses the key, UNAVAILABLE if it does not answer.
 */
export async function saveStripeKeys(session: Session, keys: StripeKeys): Promise<void> {
  assertManagesFirm(session.actor);
  assertRecentlyAuthenticated(session);
  // nothing of what people try reaches Stripe
  if (await isPracticeFirm(session.actor.companyId)) throw new PortalError('FORBIDDEN');
  await testStripeAccount(withApi(keys));
  await change(session, 'stripe', async (companyId) => {
    const values = {
      secret: encryptFor('payment_accounts.secret', companyId, JSON.stringify(keys)),
      hint: keys.secretKey.slice(-4),
      changed_at: now(),
    };
    await db()
      .insertInto('payment_accounts')
      .values({ company_id: companyId, ...values })
      .onConflict((conflict) => conflict.column('company_id').doUpdateSet(values))
      .execute();
  });
}

/** Removes the keys: clients of the firm can no longer pay online with them. Throws as {@link saveStripeKeys}. */
export async function removeStripeKeys(session: Session): Promise<void> {
  assertManagesFirm(session.actor);
  assertRecentlyAuthenticated(session);
  await change(session, 'none', async (companyId) => {
    await db().deleteFrom('payment_accounts').where('company_id', '=', companyId).execute();
  });
}

/** Asks Stripe whether it accepts the stored key. FORBIDDEN, NOT_FOUND without one; INVALID, UNAVAILABLE. */
export async function testStripeKeys({ actor }: Session): Promise<void> {
  assertManagesFirm(actor);
  const account = await ownStripeAccount(actor.companyId);
  if (!account) throw new PortalError('NOT_FOUND');
  await testStripeAccount(account);
}

async function change(
  { actor }: Session,
  account: 'stripe' | 'none',
  write: (companyId: string) => Promise<void>,
): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    assertManagesFirm(current);
    const { companyId, contactId } = current;
    await write(companyId);
    await audit({
      companyId,
      actor: contactId,
      action: 'payment.account',
      target: companyId,
      details: { account },
    });
  });
}
