import { z } from 'zod';
import { defineForm } from '#platform/forms.server.ts';
import { MAX_COMMENT } from './tasks.ts';

const reason = (missing: { error: string }) => z.string().trim().min(1, missing).max(MAX_COMMENT);

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

/** Returns a submitted task to the client, with what has to change. */
export const returnForm = defineForm('tasks', (message) => ({
  id: 'return',
  title: 'return',
  problemTitle: 'returnProblem',
  submit: 'return',
  schema: z.object({ reason: reason(message('reasonMissing')) }),
  fields: {
    reason: {
      kind: 'textarea',
      label: 'returnReason',
      hint: 'returnReasonHint',
      rows: 3,
      maxlength: MAX_COMMENT,
      missing: 'reasonMissing',
    },
  },
  refusals: { NOT_POSSIBLE: 'refusedChanged', EDIT_CONFLICT: 'refusedChanged' },
}));

/** Returns the items that the firm marked, with a message if it wants to add one. */
export const returnItemsForm = defineForm('task-review', () => ({
  id: 'return',
  title: 'returnMarked',
  problemTitle: 'returnProblem',
  submit: 'returnMarked',
  schema: z.object({ reason: z.string().trim().max(MAX_COMMENT) }),
  fields: {
    reason: { kind: 'textarea', label: 'returnMessage', optional: true, rows: 2, maxlength: MAX_COMMENT },
  },
  refusals: { NOT_POSSIBLE: 'refusedChanged', EDIT_CONFLICT: 'refusedChanged' },
}));
