import { defineList } from '#platform/lists.server.ts';
import { mailQuery } from './mails.ts';

export const mailList = defineList('mails', {
  schema: mailQuery,
  position: 'pageNum',
  filter: {
    id: 'search',
    title: 'filterTitle',
    submit: 'filterButton',
    fields: {
      state: { kind: 'select', label: 'columnState' },
      kind: { kind: 'select', label: 'columnKind' },
      recipient: { kind: 'text', label: 'filterRecipient', maxlength: 320 },
      clientName: { kind: 'text', label: 'columnClient', maxlength: 200 },
    },
  },
});
