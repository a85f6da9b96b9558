import { defineList } from '#platform/forms/lists.server.ts';
import { rowQuery } from './imports.ts';

export const rowList = defineList('imports', {
  schema: rowQuery,
  position: 'pageNum',
  filter: {
    id: 'rows',
    title: 'rowsTitle',
    submit: 'showFilter',
    fields: {
      show: {
        kind: 'select',
        label: 'show',
        options: [
          ['all', 'showAll'],
          ['problem', 'action_problem'],
          ['duplicate', 'action_duplicate'],
          ['create', 'action_create'],
          ['update', 'action_update'],
          ['none', 'action_none'],
          ['failed', 'action_failed'],
          ['kept', 'action_kept'],
        ],
      },
    },
  },
});
