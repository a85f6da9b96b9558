import { z } from 'zod';
import { defineForm } from '#platform/forms.server.ts';
import { date } from '#platform/inputs/schemas.server.ts';
import { MAX_REVIEWED } from './document-reviews.server.ts';
import { MAX_COMMENT, MAX_LABEL } from './tasks.ts';

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

/** Asks a client to review documents. */
export const newReviewForm = defineForm('document-review', (message) => ({
  id: 'new-review',
  title: 'newTitle',
  problemTitle: 'newProblem',
  submit: 'create',
  schema: z
    .object({
      template: z.string().max(100),
      title: z.string().trim().max(MAX_LABEL),
      documents: z.array(z.string().max(60)).max(MAX_REVIEWED, message('tooMany')),
      folder: z.string().max(60),
      message: z.string().trim().max(2000),
      dueDate: date(),
      notify: z.boolean(),
    })
    .refine(({ documents, folder }) => documents.length > 0 || folder !== '', {
      ...message('documentsMissing'),
      path: ['documents'],
    })
    .refine(({ title, template }) => title !== '' || template !== '', {
      ...message('titleMissing'),
      path: ['title'],
    }),
  fields: {
    template: { kind: 'select', label: 'template', hint: 'templateHint', optional: true },
    title: { kind: 'text', label: 'titleLabel', hint: 'titleHint', maxlength: MAX_LABEL },
    documents: { kind: 'checkboxes', label: 'documentsLabel', hint: 'documentsHint' },
    folder: { kind: 'select', label: 'folder', optional: true },
    message: { kind: 'textarea', label: 'message', rows: 3, maxlength: 2000, optional: true },
    dueDate: { kind: 'date', label: 'dueDate', input: 'local', wrong: 'dateWrong', optional: true },
    notify: { kind: 'checkbox', label: 'notify' },
  },
  refusals: { NOT_FOUND: 'documentGone', INVALID: { field: 'documents', text: 'tooMany' } },
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
