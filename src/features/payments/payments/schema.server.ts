import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { Currency, PaymentFailure, PaymentState, ProviderName, Way } from './payments.ts';

export const tables = {
  payment_settings: { key: ['company_id'], encrypted: { settings: 'always' } },
  payment_accounts: { key: ['company_id'], encrypted: { secret: 'always' } },
  payment_requests: {
    key: ['task_id'],
    encrypted: { failure_reason: 'some rows', paid_reference: 'some rows' },
    ofClient: { exported: 'payments.csv', merged: 'follows', kept: 'with client' },
  },
  payment_checkouts: {
    key: ['checkout_id'],
    encrypted: { url: 'some rows' },
    ofClient: { exported: 'payment-attempts.csv' },
  },
  payment_events: { key: ['event_id'], ofClient: { exported: 'payment-events.csv' } },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    payment_settings: PaymentSettingsTable;
    payment_accounts: PaymentAccounts;
    payment_requests: PaymentRequests;
    payment_checkouts: PaymentCheckouts;
    payment_events: PaymentEvents;
  }
}

interface PaymentSettingsTable {
  company_id: string;
  /** JSON of `paymentSettings`. */
  settings: Encrypted;
  changed_at: Millis;
}

/** The account of a firm at Stripe. */
interface PaymentAccounts {
  company_id: string;
  /** JSON of `stripeKeys`. */
  secret: Encrypted;
  /** The last characters of the key, to recognize it. */
  hint: string;
  changed_at: Millis;
}

/** What a task of the type `payment_request` asks to pay. */
interface PaymentRequests {
  task_id: string;
  company_id: string;
  client_id: string;
  /** In the minor unit of the currency. */
  amount: number;
  currency: Currency;
  payee: string;
  /** By which the firm recognizes the money on its account; unique in the firm. */
  reference: string;
  invoice_number: string;
  document_id: string | null;
  offers_bank: Bit;
  offers_pix: Bit;
  offers_online: Bit;
  state: PaymentState;
  failure: PaymentFailure;
  failure_reason: Encrypted<string | null>;
  /** How it is, or was, paid. */
  paid_by: Way | '';
  paid_at: Millis | null;
  /** The day on which the money arrived. */
  paid_on: string | null;
  paid_reference: Encrypted<string | null>;
  receipt: number | null;
}

/** An attempt to pay on the page of a provider. */
interface PaymentCheckouts {
  checkout_id: string;
  task_id: string;
  company_id: string;
  provider: ProviderName;
  /** The provider's id; null until it has answered. */
  provider_reference: string | null;
  /** What the provider names the payment by, when its money goes back; null before it is paid. */
  payment_id: string | null;
  url: Encrypted<string | null>;
  state: 'open' | 'processing' | 'paid' | 'failed' | 'expired';
  amount: number;
  currency: Currency;
  created_at: Millis;
  created_by: string;
  expires_at: Millis;
}

/** What happened to a payment. Messages of providers are here once, also those without effect. */
interface PaymentEvents {
  event_id: string;
  /** Null for a message about a checkout that is not known. */
  task_id: string | null;
  source: ProviderName | 'client' | 'firm';
  /** The provider's id of the message; unique per provider. */
  source_event_id: string;
  kind: string;
  received_at: Millis;
  /** The digest of the message; empty for what people did. */
  body_sha256: string;
  effect: string;
  /** The contact who did it; empty for messages of providers. */
  done_by: string;
}
