import { z } from 'zod';
import { defineList } from '#platform/forms/lists.server.ts';

const from = z.coerce.number().int().min(0).max(100_000).default(0);

/** The history of an agency for a client. */
export const historyList = defineList('clearance-certificates', {
  schema: z.object({ from }),
  position: 'from',
});

/** The certificates of a client for its contacts; the history of an agency is shown if it is chosen. */
export const clientList = defineList('clearance-certificates', {
  schema: z.object({ agency: z.string().max(20).default(''), from }),
  position: 'from',
});
