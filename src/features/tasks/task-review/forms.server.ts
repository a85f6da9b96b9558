import { z } from 'zod';
import { reason } from '#features/tasks/tasks/reason.server.ts';
import { MAX_COMMENT } from '#features/tasks/tasks/tasks.ts';
import { defineForm } from '#platform/forms/forms.server.ts';

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
