import { z } from 'zod';
import { ITEM_KINDS, MAX_ITEMS, ownItems } from '#features/tasks/tasks/own-questions.server.ts';
import { MAX_COMMENT, MAX_LABEL } from '#features/tasks/tasks/tasks.ts';
import { defineForm, UPCOMING_YEARS } from '#platform/forms/forms.server.ts';
import { date } from '#platform/inputs/schemas.server.ts';

/** What a task asks, and everything else that does not depend on the client. */
const contentShape = (message: (key: 'yearWrong') => { error: string }) => ({
  /** `own`, the id of a template, or that of a starter. */
  content: z.string().max(100),
  title: z.string().trim().max(MAX_LABEL),
  taxYear: z.string().regex(/^(?:(?:19|20|21)\d\d)?$/, message('yearWrong')),
  message: z.string().trim().max(2000),
  items: ownItems,
  dueDate: date(),
  responsible: z.string().max(60),
  notify: z.boolean(),
});

interface OwnContent {
  content: string;
  title: string;
  items: z.output<typeof ownItems>;
}

/** Questions of one's own need a title, and at least one of them. */
const checkOwn =
  (message: (key: 'titleMissing' | 'itemsMissing') => { error: string }) =>
  ({ content, title, items }: OwnContent, context: z.RefinementCtx): void => {
    if (content !== 'own') return;
    if (title === '')
      context.addIssue({ code: 'custom', path: ['title'], message: message('titleMissing').error });
    if (items.every(({ label }) => label === ''))
      context.addIssue({ code: 'custom', path: ['items'], message: message('itemsMissing').error });
  };

const KINDS = {
  files: 'kind_files',
  paragraph: 'kind_paragraph',
  yesNo: 'kind_yesNo',
  date: 'kind_date',
  number: 'kind_number',
} as const satisfies Record<(typeof ITEM_KINDS)[number], string>;

const contentFields = {
  content: { kind: 'select', label: 'content' },
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
        options: ITEM_KINDS.map((kind) => [kind, KINDS[kind]] as const),
      },
      isRequired: { kind: 'checkbox', label: 'itemRequired' },
    },
  },
  dueDate: {
    kind: 'date',
    input: 'local',
    years: UPCOMING_YEARS,
    label: 'newDue',
    hint: 'newDueHint',
    optional: true,
  },
  responsible: { kind: 'select', label: 'responsible' },
  notify: { kind: 'checkbox', label: 'notify' },
} as const;

const refusals = {
  INVALID: { field: 'taxYear', text: 'yearMissing' },
  NOT_FOUND: { field: 'content', text: 'templateGone' },
} as const;

/** Asks one client for something: a template, or documents and questions of one's own. */
export const newTaskForm = defineForm('task-batches', (message) => ({
  id: 'new-task',
  title: 'newTask',
  problemTitle: 'newProblem',
  submit: 'create',
  schema: z.object(contentShape(message)).superRefine(checkOwn(message)),
  fields: contentFields,
  refusals,
}));
export type ContentValues = z.output<(typeof newTaskForm)['schema']>;

const MAX_NUMBERS = 200_000;

/** Asks many clients for the same; which, is shown before anything is created. */
export const newTasksForm = defineForm('task-batches', (message) => ({
  id: 'new-tasks',
  title: 'newTasks',
  problemTitle: 'newProblem',
  submit: 'review',
  schema: z
    .object({
      clientKind: z.enum(['', 'all', 'business', 'individual']),
      tag: z.string().max(200),
      clientResponsible: z.string().max(60),
      numbers: z.string().max(MAX_NUMBERS),
      ...contentShape(message),
    })
    .superRefine((values, context) => {
      checkOwn(message)(values, context);
      const { clientKind, tag, clientResponsible, numbers } = values;
      if (clientKind + tag + clientResponsible + numbers.trim() === '')
        context.addIssue({ code: 'custom', path: ['clientKind'], message: message('clientsMissing').error });
    }),
  fields: {
    clientKind: {
      kind: 'select',
      label: 'clientKind',
      options: [
        ['', 'chooseClients'],
        ['all', 'allClients'],
        ['business', 'businesses'],
        ['individual', 'individuals'],
      ],
    },
    tag: { kind: 'select', label: 'tag' },
    clientResponsible: { kind: 'select', label: 'clientResponsible' },
    numbers: {
      kind: 'textarea',
      label: 'numbers',
      hint: 'numbersHint',
      rows: 3,
      maxlength: MAX_NUMBERS,
      optional: true,
      choosesClients: true,
    },
    ...contentFields,
  },
  refusals: {
    ...refusals,
    EMPTY: { field: 'clientKind', text: 'noClients' },
    TOO_LARGE: { field: 'clientKind', text: 'tooManyClients', vars: ({ most }) => ({ most: Number(most) }) },
    BAD_NAME: {
      field: 'numbers',
      text: 'numbersUnknown',
      vars: ({ unknown }) => ({ numbers: Array.isArray(unknown) ? unknown.map(String).join(', ') : '' }),
    },
  },
}));

const conflict = { STALE: 'batchChanged', EMPTY: 'reasonMissing' } as const;

/** Returns many tasks with one reason. */
export const returnManyForm = defineForm('task-batches', (message) => ({
  id: 'return-many',
  title: 'do_return',
  problemTitle: 'notDone',
  submit: 'do_return',
  schema: z.object({ reason: z.string().trim().min(1, message('reasonMissing')).max(MAX_COMMENT) }),
  fields: {
    reason: { kind: 'textarea', label: 'reason', hint: 'reasonHint', rows: 3, maxlength: MAX_COMMENT },
  },
  refusals: conflict,
}));

/** Gives many tasks another due date. */
export const rescheduleManyForm = defineForm('task-batches', () => ({
  id: 'reschedule-many',
  title: 'do_reschedule',
  problemTitle: 'notDone',
  submit: 'do_reschedule',
  schema: z.object({ dueDate: date() }),
  fields: {
    dueDate: {
      kind: 'date',
      input: 'local',
      years: UPCOMING_YEARS,
      label: 'newDue',
      hint: 'noDueHint',
      optional: true,
    },
  },
  refusals: { ...conflict, INVALID: { field: 'dueDate', text: 'datePast' } },
}));

/** Makes somebody responsible for many tasks. */
export const assignManyForm = defineForm('task-batches', () => ({
  id: 'assign-many',
  title: 'do_assign',
  problemTitle: 'notDone',
  submit: 'do_assign',
  schema: z.object({ responsible: z.string().max(60) }),
  fields: { responsible: { kind: 'select', label: 'responsible' } },
  refusals: { ...conflict, NOT_FOUND: 'batchChanged' },
}));
