import { z } from 'zod';
import { defineList } from '#platform/forms/lists.server.ts';

export const feedbackList = defineList('feedback', {
  schema: z.object({ pageNum: z.coerce.number().int().min(1).max(10_000).default(1) }),
  position: 'pageNum',
});
