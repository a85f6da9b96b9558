import { defineList } from '#platform/lists.server.ts';
import { auditLogQuery } from './staff.ts';

export const auditLogList = defineList('staff', {
  schema: auditLogQuery,
  position: 'before',
  filter: {
    id: 'search',
    title: 'filterButton',
    submit: 'filterButton',
    fields: {
      person: { kind: 'text', label: 'filterPerson', maxlength: 200 },
      clientName: { kind: 'text', label: 'filterClient', maxlength: 200 },
      action: { kind: 'select', label: 'filterAction' },
      from: { kind: 'date', label: 'filterFrom' },
      to: { kind: 'date', label: 'filterTo' },
    },
  },
});

/** The activity around a person's own documents. */
export const activityList = defineList('staff', {
  schema: auditLogQuery.pick({ before: true }),
  position: 'before',
});
