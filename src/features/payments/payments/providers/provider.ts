import type { Lang } from '#platform/text/languages.ts';
import type { Currency } from '../payments.ts';

/** What the page of a provider asks to pay. */
export interface CheckoutOrder {
  /** Our id, which the provider repeats in its messages; also the idempotency key. */
  checkoutId: string;
  amount: number;
  currency: Currency;
  /** What the payment is for, as the payer reads it. */
  title: string;
  payee: string;
  lang: Lang;
  createdAt: number;
  expiresAt: number;
  /** Where the payer continues after paying, and after leaving without. */
  successUrl: string;
  cancelUrl: string;
}

/** What a provider reports about a checkout. `processing` is a payment that arrives days later. */
export type ReportedState = 'paid' | 'processing' | 'failed' | 'expired';

/**
 * What it reports about one that was paid: all or some of the money was refunded, or the payer's bank has taken it back
 * (`disputed`) and perhaps returned it. `no-payment` is a checkout that was completed without any.
 */
export type ReportedReversal = 'refunded' | 'refunded-part' | 'disputed' | 'dispute-won' | 'no-payment';

/** A message of a provider, whose signature is valid. */
export interface ProviderMessage {
  /** The provider's id of the message, the same when it is sent again. */
  id: string;
  /** The provider's name of what happened. */
  kind: string;
  /** Undefined for what does not concern a payment. */
  state: ReportedState | ReportedReversal | undefined;
  /** Our id of the checkout, and the provider's. */
  checkoutId: string;
  reference: string;
  /** The provider's id of the payment; empty if it names none. */
  payment: string;
  amount: number;
  /** In capitals. */
  currency: string;
}

/**
 * A page outside the portal where people pay by card or otherwise. No card data reaches the portal (threat-model.md
 * T82).
 */
export interface PaymentProvider {
  /**
   * Creates the page, once for each order however often it is called. UNAVAILABLE with `away: 'provider'` if it does
   * not answer or refuses.
   */
  createCheckout: (order: CheckoutOrder) => Promise<{ reference: string; url: string }>;
  /**
   * Closes the page, so that nobody pays there any more; does nothing if it can no longer be used. UNAVAILABLE if the
   * provider does not answer.
   */
  closeCheckout: (reference: string) => Promise<void>;
  /**
   * Reads a message. FORBIDDEN unless the provider signed exactly these bytes within the last five minutes, INVALID if
   * they are no message.
   */
  readMessage: (body: string, headers: Headers) => ProviderMessage;
}
