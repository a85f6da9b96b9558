import { z } from 'zod';
import { MAX_LABEL } from '#features/tasks/tasks/tasks.ts';
import { defineForm, UPCOMING_YEARS } from '#platform/forms/forms.server.ts';
import { date } from '#platform/inputs/schemas.server.ts';
import { MAX_REVIEWED } from './document-reviews.server.ts';

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
    dueDate: {
      kind: 'date',
      label: 'dueDate',
      input: 'local',
      years: UPCOMING_YEARS,
      wrong: 'dateWrong',
      optional: true,
    },
    notify: { kind: 'checkbox', label: 'notify' },
  },
  refusals: { NOT_FOUND: 'documentGone', INVALID: { field: 'documents', text: 'tooMany' } },
}));
