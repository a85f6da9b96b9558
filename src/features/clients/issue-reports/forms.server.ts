import { z } from 'zod';
import { defineForm } from '#platform/forms/forms.server.ts';
import { ABOUT, description, details, MAX_DESCRIPTION } from './issue-reports.ts';

/** Describes a problem. Everything that is sent besides is listed, and can be left out. */
export const reportForm = defineForm('issues', () => ({
  id: 'report',
  title: 'reportTitle',
  problemTitle: 'notSent',
  submit: 'send',
  schema: z.object({ about: z.enum(ABOUT), description, details, source: z.string() }),
  fields: {
    about: {
      kind: 'choices',
      label: 'about',
      missing: 'aboutMissing',
      options: [
        ['firm', 'aboutFirm'],
        ['portal', 'aboutPortal'],
      ],
    },
    description: {
      kind: 'textarea',
      label: 'description',
      hint: 'descriptionHint',
      missing: 'descriptionMissing',
      wrong: 'descriptionWrong',
      rows: 6,
      maxlength: MAX_DESCRIPTION,
    },
    details: { kind: 'checkboxes', label: 'details', hint: 'detailsHint', optional: true },
    source: { kind: 'hidden' },
  },
  refusals: { TOO_MANY: 'tooMany', UNAVAILABLE: 'serverError', ALREADY_DONE: 'serverError' },
}));

/** What the firm answers to a report. */
export const answerForm = defineForm('issues', () => ({
  id: 'answer',
  title: 'answerTitle',
  problemTitle: 'notSent',
  submit: 'answerSend',
  schema: z.object({ answer: description }),
  fields: {
    answer: {
      kind: 'textarea',
      label: 'answer',
      hint: 'answerHint',
      missing: 'answerMissing',
      wrong: 'descriptionWrong',
      rows: 6,
      maxlength: MAX_DESCRIPTION,
    },
  },
}));
