import { config } from '#platform/runtime/config.server.ts';
import { PROVIDERS, type PaymentSettings, type ProviderName } from '../payments.ts';
import type { PaymentProvider } from './provider.ts';
import { sandbox } from './sandbox.server.ts';
import { stripeWith } from './stripe.server.ts';
import { ownStripeAccount, stripeAccountOf } from './stripe-accounts.server.ts';

let isDemo = false;

/** Offers the sandbox to the firms of a demo. */
export function offerSandbox(): void {
  isDemo = true;
}

/** Whether the sandbox, where nobody pays real money, may be used: in a demo, or if the operator says so. */
export const isSandboxOffered = (): boolean => isDemo || config.paymentSandbox;

/** Whether a firm may use a provider now. */
export async function isAvailable(name: PaymentSettings['provider'], companyId: string): Promise<boolean> {
  if (name === 'none') return false;
  return (await providerOf(name, companyId)) !== undefined;
}

export async function availableProviders(companyId: string): Promise<ProviderName[]> {
  const available = await Promise.all(PROVIDERS.map((name) => isAvailable(name, companyId)));
  return PROVIDERS.filter((_, index) => available[index]);
}

/** A provider with the account of a firm; undefined if the firm may not use it. */
export async function providerOf(
  name: ProviderName,
  companyId: string,
): Promise<PaymentProvider | undefined> {
  if (name === 'sandbox') return isSandboxOffered() ? sandbox : undefined;
  const account = await stripeAccountOf(companyId);
  return account && stripeWith(account);
}

/**
 * The provider of messages: with the account that a firm has entered, or of the installation, whose messages come for
 * checkouts that were made with it.
 */
export async function providerOfMessages(
  name: ProviderName,
  companyId: string | undefined,
): Promise<PaymentProvider | undefined> {
  if (name === 'sandbox') return isSandboxOffered() && companyId === undefined ? sandbox : undefined;
  const account = companyId === undefined ? config.stripe : await ownStripeAccount(companyId);
  return account && stripeWith(account);
}
