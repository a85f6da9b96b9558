import { z } from 'zod';
import { defineList } from '#platform/forms/lists.server.ts';
import { clientQuery } from './clients.ts';

/** The clients that someone may act for, and where to continue after the choice. */
export const clientList = defineList('clients', {
  schema: clientQuery
    .pick({ searchTerm: true, pageNum: true })
    .extend({ r: z.string().max(2000).default('') }),
  position: 'pageNum',
  filter: {
    id: 'search',
    title: 'search',
    submit: 'search',
    fields: {
      r: { kind: 'hidden', label: 'search' },
      searchTerm: { kind: 'text', type: 'search', label: 'search', maxlength: 200 },
    },
  },
});
