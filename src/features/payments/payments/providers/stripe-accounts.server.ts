import { z } from 'zod';
import { config } from '#platform/runtime/config.server.ts';
import { db } from '#platform/database/database.server.ts';
import { isPracticeFirm } from '#platform/runtime/practice.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';

/** An account at Stripe: the address of its API, its key, and the secret that signs its messages. */
export interface StripeAccount {
  api: string;
  secretKey: string;
  webhookSecret: string;
}

export const stripeKeys = z.object({ secretKey: z.string(), webhookSecret: z.string() });

/** The account that a firm has entered itself. */
export async function ownStripeAccount(companyId: string): Promise<StripeAccount | undefined> {
  if (await isPracticeFirm(companyId)) return undefined;
  const row = await db()
    .selectFrom('payment_accounts')
    .select('secret')
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  return (
    row &&
    withApi(stripeKeys.parse(JSON.parse(decryptFrom('payment_accounts.secret', companyId, row.secret))))
  );
}

/**
 * The account to which the clients of a firm pay: its own, else that of the installation if the portal has no other firm,
 * whose money would go to somebody else. A firm to practice in has none.
 */
export async function stripeAccountOf(companyId: string): Promise<StripeAccount | undefined> {
  return (await ownStripeAccount(companyId)) ?? ((await isOnlyFirm(companyId)) ? config.stripe : undefined);
}

export const withApi = (keys: z.infer<typeof stripeKeys>): StripeAccount => ({
  api: config.stripeApi,
  ...keys,
});

async function isOnlyFirm(companyId: string): Promise<boolean> {
  const rows = await db()
    .selectFrom('firms')
    .select('company_id')
    .where('practice_of', 'is', null)
    .limit(2)
    .execute();
  return rows.length === 1 && rows[0]?.company_id === companyId;
}
