import { z } from 'zod';
import { defineList } from '#platform/forms/lists.server.ts';

/** The clients to choose from for a person. */
export const clientSearch = defineList('directory', {
  schema: z.strictObject({ searchTerm: z.string().max(200).default('') }),
  position: 'pageNum',
  filter: {
    id: 'search',
    title: 'searchClients',
    submit: 'searchButton',
    fields: { searchTerm: { kind: 'text', type: 'search', label: 'searchClients', maxlength: 200 } },
  },
});
