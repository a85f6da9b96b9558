import { z } from 'zod';
import { defineList } from '#platform/forms/lists.server.ts';
import { CATEGORIES } from '#features/brazil/service-requests/service-requests.ts';

const from = z.coerce.number().int().min(0).max(1_000_000).default(0);

/** The requests of a client. */
export const requestList = defineList('service-requests', {
  schema: z.strictObject({ category: z.enum(CATEGORIES).default('all'), from }),
  position: 'from',
  filter: {
    id: 'request-filter',
    title: 'filterTitle',
    submit: 'filterSubmit',
    fields: { category: { kind: 'select', label: 'category' } },
  },
});
