import { z } from 'zod';
import { reason } from '#features/tasks/tasks/reason.server.ts';
import { MAX_COMMENT } from '#features/tasks/tasks/tasks.ts';
import { defineForm } from '#platform/forms/forms.server.ts';

/** Sets a task to "does not apply", with the reason that it requires. */
export const notApplicableForm = defineForm('tasks', (message) => ({
  id: 'not-applicable',
  title: 'removeTask',
  problemTitle: 'removeProblem',
  submit: 'removeTask',
  schema: z.object({ reason: reason(message('reasonMissing')) }),
  fields: {
    reason: {
      kind: 'textarea',
      label: 'removeReason',
      rows: 3,
      maxlength: MAX_COMMENT,
      missing: 'reasonMissing',
    },
  },
  refusals: { CLOSED: 'refusedClosed', EXPIRED: 'refusedExpired', MANDATORY: 'refusedMandatory' },
}));

/** Sets a step to "does not apply". */
export const stepNotApplicableForm = defineForm('tasks', (message) => ({
  id: 'step-not-applicable',
  title: 'doesNotApply',
  problemTitle: 'removeProblem',
  submit: 'doesNotApply',
  schema: z.object({ reason: reason(message('reasonMissing')) }),
  fields: {
    reason: {
      kind: 'textarea',
      label: 'removeStepReason',
      rows: 3,
      maxlength: MAX_COMMENT,
      missing: 'reasonMissing',
    },
  },
  refusals: { CLOSED: 'refusedClosed', EXPIRED: 'refusedExpired' },
}));
