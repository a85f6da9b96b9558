import { z } from 'zod';

/** A digital signature that a document bears already, with what it states about itself. */
export const foreignSignature = z.object({ name: z.string(), signedAt: z.number().optional() });
export type ForeignSignature = z.infer<typeof foreignSignature>;

/** How a prepared page differs from the page of the document: in its picture, its text or its fonts. */
export const pageDifference = z.object({
  /** From 1. */
  page: z.number(),
  kinds: z.array(z.enum(['picture', 'text', 'fonts'])),
});
export type PageDifference = z.infer<typeof pageDifference>;
