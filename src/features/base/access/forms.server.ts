import { defineForm } from '#platform/forms/forms.server.ts';
import { secondStepInput } from './access.ts';

/** Who needs a second factor to sign in to the firm, and from which day. */
export const secondStepForm = defineForm('portal', () => ({
  id: 'second-step',
  title: 'stepTitle',
  problemTitle: 'stepNotSaved',
  submit: 'stepSave',
  schema: secondStepInput,
  fields: {
    who: {
      kind: 'choices',
      label: 'stepWho',
      missing: 'stepWhoMissing',
      wrong: 'stepWhoMissing',
      options: [
        ['nobody', 'stepNobody'],
        ['staff', 'stepStaff'],
        ['everybody', 'stepEverybody'],
      ],
    },
    from: { kind: 'date', label: 'stepFrom', hint: 'stepFromHint', optional: true, wrong: 'stepFromWrong' },
  },
  refusals: { INVALID: { field: 'from', text: 'stepFromWrong' } },
}));
