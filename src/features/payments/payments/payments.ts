import { z } from 'zod';
import { LANGS } from '#platform/text/languages.ts';

/* The contract of payments. Amounts are integers in the minor unit of their currency: 12550 is 125.50. */

/** Currencies of the countries of the portal's languages; all of them have two decimals. */
export const CURRENCIES = ['USD', 'GBP', 'EUR', 'CAD', 'AUD', 'BRL', 'ARS'] as const;
export type Currency = (typeof CURRENCIES)[number];

/** How a client can pay: a bank transfer, Brazil's instant payment, or the page of a provider. */
export const WAYS = ['bank', 'pix', 'online'] as const;
export type Way = (typeof WAYS)[number];

/** Ways where the client says that they paid, and the firm confirms that the money has arrived. */
export const REPORTED_WAYS = ['bank', 'pix'] as const satisfies readonly Way[];
export type ReportedWay = (typeof REPORTED_WAYS)[number];

export const PROVIDERS = ['sandbox', 'stripe'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

export const PIX_KEY_KINDS = ['cpf', 'cnpj', 'phone', 'email', 'random'] as const;
export type PixKeyKind = (typeof PIX_KEY_KINDS)[number];

/**
 * Where a payment stands: not paid, reported by the client, being processed by the provider, or paid. Whether the
 * request is cancelled is the status of its task.
 */
export type PaymentState = 'open' | 'reported' | 'processing' | 'paid';

/** Why the latest attempt to pay failed; empty if none did. */
export type PaymentFailure = '' | 'declined' | 'expired' | 'missing' | 'refunded' | 'disputed';

/** Bank instructions, Pix and provider of a firm. An empty text is not configured. */
export const paymentSettings = z.strictObject({
  currency: z.enum(CURRENCIES),
  bank: z.strictObject({
    holder: z.string(),
    bank: z.string(),
    iban: z.string(),
    routing: z.string(),
    account: z.string(),
    /** What else the client should know, by language. */
    texts: z.partialRecord(z.enum(LANGS), z.string()),
  }),
  pix: z.strictObject({
    kind: z.enum(PIX_KEY_KINDS),
    key: z.string(),
    name: z.string(),
    city: z.string(),
  }),
  provider: z.enum(['none', ...PROVIDERS]),
});
export type PaymentSettings = z.infer<typeof paymentSettings>;

export const NO_SETTINGS: PaymentSettings = {
  currency: 'USD',
  bank: { holder: '', bank: '', iban: '', routing: '', account: '', texts: {} },
  pix: { kind: 'cnpj', key: '', name: '', city: '' },
  provider: 'none',
};

/** What staff request from a client. `amount` is in the minor unit. */
export interface NewPayment {
  clientId: string;
  invoiceNumber: string;
  amount: number;
  currency: Currency;
  dueDate: string | null;
  ways: readonly Way[];
  /** A document of the client, or a file that becomes one. */
  documentId?: string | undefined;
  file?: File | undefined;
}

/** How large the PDF of an invoice may be that is sent with its request: scanned ones have several MB. */
export const MAX_INVOICE_BYTES = 20_000_000;
