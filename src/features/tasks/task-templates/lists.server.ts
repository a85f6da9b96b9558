import { z } from 'zod';
import { defineList } from '#platform/forms/lists.server.ts';

export const templateList = defineList('task-templates', {
  schema: z.strictObject({
    searchTerm: z.string().max(200).default(''),
    show: z.enum(['current', 'archived']).default('current'),
    from: z.coerce.number().int().min(0).max(100_000).default(0),
  }),
  position: 'from',
  filter: {
    id: 'templates',
    title: 'title',
    submit: 'search',
    fields: {
      searchTerm: { kind: 'text', type: 'search', label: 'searchLabel', maxlength: 200 },
      show: {
        kind: 'select',
        label: 'show',
        options: [
          ['current', 'showCurrent'],
          ['archived', 'showArchived'],
        ],
      },
    },
  },
});
