import { z } from 'zod';
import { filterKinds } from './kinds.server.ts';

const kind = z
  .string()
  .refine((name) => ['', ...filterKinds()].includes(name))
  .default('');

const day = z
  .string()
  .refine((text) => text === '' || z.iso.date().safeParse(text).success)
  .default('');

/** Which receipts of a client: of a kind, and of the days from one to another, both included; empty means all. */
export const receiptFilter = z.object({ kind, since: day, until: day });
export type ReceiptFilter = z.infer<typeof receiptFilter>;
