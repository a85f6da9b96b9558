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

/** The reply of the firm: words, files, or both. */
export const replyForm = defineForm('service-requests', (message) => ({
  id: 'reply',
  title: 'replyTitle',
  problemTitle: 'notSent',
  submit: 'replySubmit',
  schema: z.object({
    text: z.string().trim().max(MAX_REMARK, message('textTooLong')),
    files: z.array(z.custom<File>((file) => file instanceof File)).max(10),
  }),
  fields: {
    text: { kind: 'textarea', label: 'replyLabel', rows: 4, maxlength: MAX_REMARK, optional: true },
    files: { kind: 'file', label: 'replyFiles', hint: 'replyFilesHint', multiple: true, optional: true },
  },
  refusals: {
    ...LATE,
    TYPE_NOT_ALLOWED: { field: 'files', text: 'fileRefused' },
    TOO_LARGE: { field: 'files', text: 'fileRefused' },
    INFECTED: { field: 'files', text: 'fileRefused' },
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
