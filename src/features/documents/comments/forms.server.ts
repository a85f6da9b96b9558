import { z } from 'zod';
import { minutesUntilRetry } from '#platform/runtime/errors.server.ts';
import { defineForm } from '#platform/forms/forms.server.ts';
import { MAX_REMARK, typedRemark } from '#platform/forms/remarks.ts';

/** A comment on a document. */
export const commentForm = defineForm('notes', (message) => ({
  id: 'comment',
  title: 'submit',
  problemTitle: 'errorTitle',
  submit: 'submit',
  schema: z.object({
    text: typedRemark({ missing: message('missing'), tooLong: message('tooLong') }),
  }),
  fields: {
    text: { kind: 'textarea', label: 'field', hint: 'hint', rows: 5, maxlength: MAX_REMARK },
  },
  refusals: {
    TOO_MANY: {
      field: 'text',
      text: 'tooMany',
      vars: (details) => ({ count: minutesUntilRetry({ details }) }),
    },
  },
}));
