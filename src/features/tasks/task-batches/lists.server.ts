import { defineList } from '#platform/forms/lists.server.ts';
import { rowQuery } from '#features/base/batches/rows.ts';

export const rowList = defineList('task-batches', {
  schema: rowQuery,
  position: 'from',
  filter: {
    id: 'rows',
    title: 'rows',
    submit: 'showFilter',
    fields: {
      show: {
        kind: 'select',
        label: 'show',
        options: [
          ['all', 'all'],
          ['problems', 'showProblems'],
          ['waiting', 'showWaiting'],
          ['done', 'showDone'],
        ],
      },
    },
  },
});
