import { z } from 'zod';
import { defineList } from '#platform/forms/lists.server.ts';

/** The tasks of a contact: what is to do or what is complete, of all clients or of the active one. */
export const taskList = defineList('tasks', {
  schema: z.object({
    show: z.enum(['todo', 'done']).default('todo'),
    of: z.enum(['one', 'all']).default('all'),
    from: z.coerce.number().int().min(0).max(1_000_000).default(0),
  }),
  position: 'from',
});
