import { z } from 'zod';
import { defineList } from '#platform/lists.server.ts';
import { peopleQuery } from './directory.ts';

export const peopleList = defineList('directory', {
  schema: peopleQuery,
  position: 'pageNum',
  filter: {
    id: 'search',
    title: 'title',
    submit: 'filterSubmit',
    fields: {
      searchTerm: { kind: 'text', type: 'search', label: 'search', maxlength: 200 },
      who: { kind: 'select', label: 'filterWho' },
      state: { kind: 'select', label: 'filterState' },
      clientName: { kind: 'text', type: 'search', label: 'filterClient', maxlength: 200 },
    },
  },
});

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
