import { z } from 'zod';
import { defineForm } from '#platform/forms/forms.server.ts';
import { MAX_INTRODUCTION, MAX_SUBJECT, problemOf, type TextProblem } from './mail-texts.ts';

const MESSAGES = {
  placeholder: 'placeholderWrong',
  brace: 'braceWrong',
  link: 'linkWrong',
  control: 'controlWrong',
} as const satisfies Record<TextProblem, string>;

/** What a firm writes into emails of a kind. `version` detects concurrent changes. */
export const mailTextForm = defineForm('mail-texts', (message) => ({
  id: 'mail-text',
  title: 'title',
  problemTitle: 'notSaved',
  submit: 'save',
  schema: z
    .object({
      version: z.coerce.number(),
      subject: z.string().trim().max(MAX_SUBJECT),
      introduction: z
        .string()
        .transform((text) => text.replaceAll('\r\n', '\n').trim())
        .pipe(z.string().max(MAX_INTRODUCTION)),
    })
    .superRefine((texts, context) => {
      for (const field of ['subject', 'introduction'] as const) {
        const found = problemOf(field === 'subject' ? texts.subject.replace('\n', '\0') : texts[field]);
        if (found)
          context.addIssue({
            code: 'custom',
            path: [field],
            message: message(MESSAGES[found.problem]).error,
            params: { vars: { name: found.name ?? '' } },
          });
      }
    }),
  fields: {
    version: { kind: 'hidden' },
    subject: {
      kind: 'text',
      label: 'subject',
      hint: 'subjectHint',
      optional: true,
      maxlength: MAX_SUBJECT,
      autocomplete: 'off',
    },
    introduction: {
      kind: 'textarea',
      label: 'introduction',
      hint: 'introductionHint',
      optional: true,
      rows: 5,
      maxlength: MAX_INTRODUCTION,
    },
  },
  refusals: { EDIT_CONFLICT: 'changedMeanwhile' },
}));
