import { z } from 'zod';

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
