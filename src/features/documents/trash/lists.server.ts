import { z } from 'zod';
import { defineList } from '#platform/forms/lists.server.ts';

/** The trash of a client. */
export const trashList = defineList('trash', {
  schema: z.object({ from: z.coerce.number().int().min(0).max(10_000_000).default(0) }),
  position: 'from',
});
