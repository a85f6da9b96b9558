import { z } from 'zod';
import { defineForm } from '#platform/forms.server.ts';
import { date } from '#platform/inputs/schemas.server.ts';
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

const MAX_ITEMS = 40;
const ITEM_KINDS = ['files', 'paragraph', 'yesNo', 'date', 'number'] as const;

/** Asks a client for something: one of the questionnaires, or questions of one's own. */
export const newTaskForm = defineForm('tasks', (message) => ({
  id: 'new-task',
  title: 'newTask',
  problemTitle: 'newProblem',
  submit: 'create',
  schema: z
    .object({
      content: z.enum(['own', 'us-1040', 'uk-personal']),
      title: z.string().trim().min(1, message('titleMissing')).max(MAX_LABEL),
      taxYear: z.string().regex(/^(?:(?:19|20|21)\d\d)?$/, message('yearWrong')),
      message: z.string().trim().max(2000),
      items: z
        .array(
          z.object({
            label: z.string().trim().max(500),
            kind: z.enum(ITEM_KINDS),
            isRequired: z.boolean(),
          }),
        )
        .max(MAX_ITEMS),
      dueDate: date(),
    })
    .superRefine(({ content, items }, context) => {
      if (content === 'own' && items.every(({ label }) => label === ''))
        context.addIssue({ code: 'custom', path: ['items'], message: message('itemsMissing').error });
    }),
  fields: {
    content: {
      kind: 'choices',
      label: 'content',
      options: [
        ['own', 'contentOwn'],
        ['us-1040', 'contentUs'],
        ['uk-personal', 'contentUk'],
      ],
    },
    title: { kind: 'text', label: 'newTitle', hint: 'newTitleHint', maxlength: MAX_LABEL },
    taxYear: { kind: 'text', label: 'newYear', inputmode: 'numeric', maxlength: 4, optional: true },
    message: { kind: 'textarea', label: 'newMessage', rows: 3, maxlength: 2000, optional: true },
    items: {
      kind: 'group',
      label: 'items',
      hint: 'itemsHint',
      max: MAX_ITEMS,
      add: 'itemAdd',
      remove: 'itemRemove',
      fields: {
        label: { kind: 'text', label: 'itemLabel', maxlength: 500 },
        kind: {
          kind: 'select',
          label: 'itemKind',
          options: [
            ['files', 'kindFiles'],
            ['paragraph', 'kindText'],
            ['yesNo', 'kindYesNo'],
            ['date', 'kindDate'],
            ['number', 'kindNumber'],
          ],
        },
        isRequired: { kind: 'checkbox', label: 'itemRequired' },
      },
    },
    dueDate: { kind: 'date', input: 'local', label: 'newDue', optional: true },
  },
}));
export type NewTaskValues = z.output<(typeof newTaskForm)['schema']>;
