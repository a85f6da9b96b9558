import { z } from 'zod';

/** The kinds by which the list of a client is filtered: what people look for. */
export const SHOWN_KINDS = ['upload', 'share', 'submission', 'signature', 'payment'] as const;

const day = z
  .string()
  .refine((text) => text === '' || z.iso.date().safeParse(text).success)
  .default('');

/** Which receipts of a client: of a kind, and of the days from one to another, both included; empty means all. */
export const receiptFilter = z.object({
  kind: z.enum(['', ...SHOWN_KINDS]).default(''),
  since: day,
  until: day,
});
export type ReceiptFilter = z.infer<typeof receiptFilter>;

/**
 * The fields to verify a receipt: spaces, dashes and lower case letters are accepted. `sha256` is empty if
 * only the receipt is checked.
 */
export const receiptCheck = z.strictObject({
  number: z
    .string()
    .trim()
    .regex(/^[1-9]\d{0,14}$/)
    .transform(Number),
  code: z
    .string()
    .transform((text) => text.replaceAll(/[\s-]/g, '').toUpperCase())
    .pipe(z.string().regex(/^[0-9A-Z]{10}$/)),
  sha256: z
    .string()
    .transform((text) => text.replaceAll(/\s/g, '').toLowerCase())
    .pipe(z.string().regex(/^(?:[0-9a-f]{64})?$/)),
});
export type ReceiptCheck = z.infer<typeof receiptCheck>;
