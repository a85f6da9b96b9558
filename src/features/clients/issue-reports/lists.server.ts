import { z } from 'zod';
import { defineList } from '#platform/forms/lists.server.ts';

/** What the people of a firm reported. */
export const reportList = defineList('issues', {
  schema: z.object({ from: z.coerce.number().int().min(0).max(10_000_000).default(0) }),
  position: 'from',
  pages: 'pages',
});
