import { z } from 'zod';
import { minutesUntilRetry } from '#platform/runtime/errors.server.ts';
import { defineForm } from '#platform/forms/forms.server.ts';
import { MAX_REMARK, typedRemark } from '#platform/forms/remarks.ts';

const refusalOfMany = {
  field: 'text',
  text: 'tooMany',
  vars: (details: Record<string, unknown>) => ({ count: minutesUntilRetry({ details }) }),
} as const;

/** A message of a contact to the firm. */
export const clientMessageForm = defineForm('threads', (message) => ({
  id: 'message',
  title: 'write',
  problemTitle: 'errorTitle',
  submit: 'send',
  schema: z.object({ text: typedRemark({ missing: message('missing'), tooLong: message('tooLong') }) }),
  fields: { text: { kind: 'textarea', label: 'field', hint: 'hint', rows: 4, maxlength: MAX_REMARK } },
  refusals: { TOO_MANY: refusalOfMany },
}));

/** A message of the firm to the client, or a note that only the firm sees. */
export const firmMessageForm = defineForm('threads', (message) => ({
  id: 'message',
  title: 'write',
  problemTitle: 'errorTitle',
  submit: 'add',
  schema: z.object({
    text: typedRemark({ missing: message('missing'), tooLong: message('tooLong') }),
    audience: z.enum(['both', 'firm']),
  }),
  fields: {
    text: { kind: 'textarea', label: 'field', hint: 'hintDelete', rows: 4, maxlength: MAX_REMARK },
    audience: {
      kind: 'choices',
      label: 'audience',
      options: [
        ['both', 'audienceBoth'],
        ['firm', 'audienceFirm'],
      ],
    },
  },
  refusals: { TOO_MANY: refusalOfMany },
}));
