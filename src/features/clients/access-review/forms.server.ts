import { defineForm } from '#platform/forms/forms.server.ts';
import { reviewPlan } from './access-review.ts';

/** How often the firm reviews who has access. */
export const planForm = defineForm('access-review', () => ({
  id: 'plan',
  title: 'planTitle',
  problemTitle: 'planNotSaved',
  submit: 'save',
  schema: reviewPlan,
  fields: {
    interval: {
      kind: 'select',
      label: 'interval',
      options: [
        ['0', 'never'],
        ['3', 'quarterly'],
        ['6', 'halfYearly'],
        ['12', 'yearly'],
      ],
    },
  },
}));
