import { z } from 'zod';
import { shareQuery } from '#features/sharing/sharing/my-shares.ts';
import { defineList } from '#platform/forms/lists.server.ts';

/** The shares of a client; those who manage the firm can filter by sender. */
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
