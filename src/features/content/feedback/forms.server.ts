import { z } from 'zod';
import { minutesUntilRetry } from '#platform/runtime/errors.server.ts';
import { defineForm } from '#platform/forms/forms.server.ts';
import { MAX_REMARK, typedRemark } from '#platform/forms/remarks.ts';
import { RATINGS } from './feedback.ts';

/** Feedback: a face and a message, both of which the spec asks for (spec 2 section 2). */
export const feedbackForm = defineForm('feedback', (message) => ({
  id: 'feedback',
  title: 'title',
  problemTitle: 'errorTitle',
  submit: 'submit',
  schema: z.object({
    rating: z.enum(RATINGS, message('ratingMissing')),
    message: typedRemark({ missing: message('messageMissing'), tooLong: message('messageTooLong') }),
  }),
  fields: {
    rating: {
      kind: 'choices',
      label: 'rating',
      wrong: 'ratingMissing',
      options: [
        ['good', 'good'],
        ['bad', 'bad'],
      ],
    },
    message: { kind: 'textarea', label: 'message', hint: 'messageHint', rows: 5, maxlength: MAX_REMARK },
  },
  refusals: {
    TOO_MANY: {
      field: 'message',
      text: 'tooMany',
      vars: (details) => ({ count: minutesUntilRetry({ details }) }),
    },
  },
}));
