import { z } from 'zod';
import { minutesUntilRetry } from '#platform/errors.server.ts';
import { defineForm } from '#platform/forms.server.ts';
import { MAX_CHARACTERS, plain } from './comments.ts';

/** A comment on a document. */
export const commentForm = defineForm('notes', (message) => ({
  id: 'comment',
  title: 'submit',
  problemTitle: 'errorTitle',
  submit: 'submit',
  schema: z.object({
    text: z
      .string()
      .overwrite(plain)
      .min(1, message('missing'))
      .superRefine((text, context) => {
        const over = text.length - MAX_CHARACTERS;
        if (over > 0)
          context.addIssue({
            code: 'custom',
            message: message('tooLong').error,
            params: { vars: { most: MAX_CHARACTERS, over } },
          });
      }),
  }),
  fields: {
    text: { kind: 'textarea', label: 'field', hint: 'hint', rows: 5, maxlength: MAX_CHARACTERS },
  },
  refusals: {
    TOO_MANY: {
      field: 'text',
      text: 'tooMany',
      vars: (details) => ({ minutes: minutesUntilRetry({ details }) }),
    },
  },
}));
