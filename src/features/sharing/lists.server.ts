import { z } from 'zod';
import { defineList } from '#platform/lists.server.ts';
import { shareQuery } from './sharing.ts';

/** What was sent of a client; who manages the firm may look at one sender alone. */
export const shareList = defineList('shares', {
  schema: z.object({
    sender: z.string().max(60).default(''),
    pageNum: shareQuery.shape.pageNum,
  }),
  position: 'pageNum',
  filter: {
    id: 'search',
    title: 'filter',
    submit: 'filter',
    fields: { sender: { kind: 'select', label: 'sender' } },
  },
});
