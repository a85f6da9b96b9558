import { z } from 'zod';
import { defineList } from '#platform/lists.server.ts';

/** The receipts of a client. */
export const receiptList = defineList('receipts', {
  schema: z.object({ from: z.coerce.number().int().min(0).max(10_000_000).default(0) }),
  position: 'from',
  pages: 'pages',
});
