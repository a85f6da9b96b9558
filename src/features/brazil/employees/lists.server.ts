import { z } from 'zod';
import { defineList } from '#platform/forms/lists.server.ts';
import { SHOWN } from './employees.ts';

/** The employees of a client. */
export const employeeList = defineList('employees', {
  schema: z.object({
    q: z.string().trim().max(200).default(''),
    show: z.enum(SHOWN).default('current'),
    from: z.coerce.number().int().min(0).max(1_000_000).default(0),
  }),
  position: 'from',
  filter: {
    id: 'employee-filter',
    title: 'filterTitle',
    submit: 'filterSubmit',
    fields: {
      q: { kind: 'text', label: 'search', hint: 'searchHint', type: 'search', maxlength: 200 },
      show: {
        kind: 'select',
        label: 'show',
        options: [
          ['current', 'showCurrent'],
          ['ended', 'showEnded'],
          ['all', 'showAll'],
        ],
      },
    },
  },
});
