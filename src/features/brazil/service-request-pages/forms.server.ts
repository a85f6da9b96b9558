import { z } from 'zod';
import { defineForm } from '#platform/forms/forms.server.ts';
import { MAX_REMARK, typedRemark } from '#platform/forms/remarks.ts';
import { minutesUntilRetry } from '#platform/runtime/errors.server.ts';
import type { KeysOf } from '#platform/text/translations.server.ts';

type Key = KeysOf<'service-requests'>;

const LATE = {
  CLOSED: 'refusedClosed',
  OPENED: 'refusedOpened',
  NOT_POSSIBLE: 'refusedChanged',
  EDIT_CONFLICT: 'refusedChanged',
  INCOMPLETE: 'refusedIncomplete',
  EMPTY: { field: 'text', text: 'textMissing' },
} as const;

/** A form of one text, for something that is nothing without words. */
const textForm = (id: string, texts: { title: Key; label: Key; submit: Key; hint?: Key }) =>
  defineForm('service-requests', (message) => ({
    id,
    title: texts.title,
    problemTitle: 'notSent',
    submit: texts.submit,
    schema: z.object({
      text: typedRemark({ missing: message('textMissing'), tooLong: message('textTooLong') }),
    }),
    fields: {
      text: {
        kind: 'textarea',
        label: texts.label,
        ...(texts.hint && { hint: texts.hint }),
        rows: 4,
        maxlength: MAX_REMARK,
      },
    },
    refusals: {
      ...LATE,
      TOO_MANY: {
        field: 'text',
        text: 'tooMany',
        vars: (details: Record<string, unknown>) => ({ count: minutesUntilRetry({ details }) }),
      },
    },
  }));

/* Of the client. */

export const answerForm = textForm('answer', {
  title: 'answerTitle',
  label: 'answerLabel',
  hint: 'answerHint',
  submit: 'answerSubmit',
});
export const messageForm = textForm('message', {
  title: 'messageTitle',
  label: 'messageLabel',
  submit: 'messageSubmit',
});
export const cancelForm = textForm('cancel', {
  title: 'cancelTitle',
  label: 'cancelLabel',
  submit: 'cancelSubmit',
});
export const reopenForm = textForm('reopen', {
  title: 'reopenTitle',
  label: 'reopenLabel',
  submit: 'reopenSubmit',
});

/* Of the firm. */

export const askForm = textForm('ask', { title: 'askTitle', label: 'askLabel', submit: 'askSubmit' });
export const declineForm = textForm('decline', {
  title: 'declineTitle',
  label: 'declineLabel',
  submit: 'declineSubmit',
});

const MAX_REGISTRATION = 30;

const textOfReply = {
  kind: 'textarea',
  label: 'replyLabel',
  rows: 4,
  maxlength: MAX_REMARK,
  optional: true,
} as const;
const filesOfReply = {
  kind: 'file',
  label: 'replyFiles',
  hint: 'replyFilesHint',
  multiple: true,
  optional: true,
} as const;
const changesOfReply = { kind: 'checkbox', label: 'changesLabel' } as const;

const reply = { id: 'reply', title: 'replyTitle', problemTitle: 'notSent', submit: 'replySubmit' } as const;
const REFUSED_FILES = {
  ...LATE,
  TYPE_NOT_ALLOWED: { field: 'files', text: 'fileRefused' },
  TOO_LARGE: { field: 'files', text: 'fileRefused' },
  INFECTED: { field: 'files', text: 'fileRefused' },
} as const;
const REFUSED_CHANGE = { INVALID: { field: 'changes', text: 'refusedEmployee' } } as const;

const replySchema = (tooLong: { error: string }) =>
  z.object({
    text: z.string().trim().max(MAX_REMARK, tooLong),
    files: z.array(z.custom<File>((file) => file instanceof File)).max(10),
  });

/** The reply of the firm: words, files, or both. */
export const replyForm = defineForm('service-requests', (message) => ({
  ...reply,
  schema: replySchema(message('textTooLong')),
  fields: { text: textOfReply, files: filesOfReply },
  refusals: REFUSED_FILES,
}));

/** The same with a change of the employee. */
export const replyWithChangeForm = defineForm('service-requests', (message) => ({
  ...reply,
  schema: replySchema(message('textTooLong')).extend({ changes: z.boolean() }),
  fields: { text: textOfReply, files: filesOfReply, changes: changesOfReply },
  refusals: { ...REFUSED_FILES, ...REFUSED_CHANGE },
}));

/** The same with a new employee, and the registration that they get. */
export const replyWithEmployeeForm = defineForm('service-requests', (message) => ({
  ...reply,
  schema: replySchema(message('textTooLong')).extend({
    changes: z.boolean(),
    registration: z.string().trim().max(MAX_REGISTRATION, message('textTooLong')),
  }),
  fields: {
    text: textOfReply,
    files: filesOfReply,
    changes: changesOfReply,
    registration: {
      kind: 'text',
      label: 'registrationLabel',
      maxlength: MAX_REGISTRATION,
      optional: true,
    },
  },
  refusals: { ...REFUSED_FILES, ...REFUSED_CHANGE },
}));

/** Reopens a request whose reply has changed an employee. */
export const reopenChangedForm = defineForm('service-requests', (message) => ({
  id: 'reopen',
  title: 'reopenTitle',
  problemTitle: 'notSent',
  submit: 'reopenSubmit',
  schema: z.object({
    text: typedRemark({ missing: message('textMissing'), tooLong: message('textTooLong') }),
    undoes: z.boolean(),
  }),
  fields: {
    text: { kind: 'textarea', label: 'reopenLabel', rows: 4, maxlength: MAX_REMARK },
    undoes: { kind: 'checkbox', label: 'undoesLabel' },
  },
  refusals: {
    ...LATE,
    CHANGED: { field: 'undoes', text: 'refusedUndo' },
    INVALID: { field: 'undoes', text: 'refusedUndo' },
  },
}));

/** A message of the firm to the client, or a note that only the firm sees. */
export const firmMessageForm = defineForm('service-requests', (message) => ({
  id: 'message',
  title: 'messageTitle',
  problemTitle: 'notSent',
  submit: 'messageAdd',
  schema: z.object({
    text: typedRemark({ missing: message('textMissing'), tooLong: message('textTooLong') }),
    audience: z.enum(['both', 'firm']),
  }),
  fields: {
    text: { kind: 'textarea', label: 'messageLabel', rows: 4, maxlength: MAX_REMARK },
    audience: {
      kind: 'choices',
      label: 'audience',
      options: [
        ['both', 'audienceBoth'],
        ['firm', 'audienceFirm'],
      ],
    },
  },
  refusals: LATE,
}));
