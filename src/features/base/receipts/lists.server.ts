import { z } from 'zod';
import { defineList } from '#platform/forms/lists.server.ts';
import { SHOWN_KINDS } from './receipts.ts';

/** The receipts of a client: all, or those of a kind. */
export const receiptList = defineList('receipts', {
  schema: z.object({
    kind: z.enum(['', ...SHOWN_KINDS]).default(''),
    from: z.coerce.number().int().min(0).max(10_000_000).default(0),
  }),
  position: 'from',
  pages: 'pages',
});
