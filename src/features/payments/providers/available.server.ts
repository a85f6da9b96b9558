import { config } from '#platform/config.server.ts';
import { PROVIDERS, type PaymentSettings, type ProviderName } from '../payments.ts';
import type { PaymentProvider } from './provider.ts';
import { sandbox } from './sandbox.server.ts';
import { stripe } from './stripe.server.ts';

let isDemo = false;

/** Offers the sandbox to the firms of a demo. */
export function offerSandbox(): void {
  isDemo = true;
}

/** Whether the sandbox, where nobody pays real money, may be used: in a demo, or if the operator says so. */
export const isSandboxOffered = (): boolean => isDemo || config.paymentSandbox;

/** Whether firms may use a provider now. */
export function isAvailable(name: PaymentSettings['provider']): name is ProviderName {
  if (name === 'none') return false;
  return name === 'sandbox' ? isSandboxOffered() : config.stripe !== undefined;
}

export const availableProviders = (): ProviderName[] => PROVIDERS.filter((name) => isAvailable(name));

export const providerNamed = (name: ProviderName): PaymentProvider => (name === 'sandbox' ? sandbox : stripe);
