import { z } from 'zod';
import { defineList } from '#platform/forms/lists.server.ts';
import { receiptFilter } from './filter.server.ts';

/** The receipts of a client: all, or those of a kind and a period. */
export const receiptList = defineList('receipts', {
  schema: receiptFilter.extend({ from: z.coerce.number().int().min(0).max(10_000_000).default(0) }),
  position: 'from',
  pages: 'pages',
  filter: {
    id: 'period',
    title: 'period',
    submit: 'showPeriod',
    fields: {
      kind: { kind: 'hidden' },
      since: { kind: 'date', label: 'since' },
      until: { kind: 'date', label: 'until' },
    },
  },
});
