import { z } from 'zod';
import { defineList } from '#platform/forms/lists.server.ts';

/** The files of a batch. */
export const fileList = defineList('publishing', {
  schema: z.object({ from: z.coerce.number().int().min(0).max(10_000).default(0) }),
  position: 'from',
  pages: 'pages',
});
