import { z } from 'zod';
import { defineForm, UPCOMING_YEARS } from '#platform/forms/forms.server.ts';
import { date } from '#platform/inputs/schemas.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { textProblem } from './markdown.server.ts';
import { AUDIENCES, CLIENT_KINDS, MAX_BODY, MAX_SUMMARY, MAX_TITLE } from './news.ts';

type Message = (
  key: 'titleMissing' | 'bodyMissing' | 'linkWrong' | 'blockTooLong' | 'tooDeep' | 'tooLong',
) => {
  error: string;
};

/** Browsers send line breaks as two characters. */
const lines = z.string().transform((text) => text.replaceAll('\r\n', '\n').trim());

const textShape = (message: Message) => ({
  title: z.string().trim().min(1, message('titleMissing')).max(MAX_TITLE),
  summary: z.string().trim().max(MAX_SUMMARY),
  body: lines
    .pipe(z.string().min(1, message('bodyMissing')).max(MAX_BODY, message('tooLong')))
    .superRefine((text, context) => {
      const problem = text.length > MAX_BODY ? undefined : textProblem(text);
      if (problem) context.addIssue({ code: 'custom', message: message(problem).error });
    }),
});

const textFields = {
  title: { kind: 'text', label: 'articleTitle', maxlength: MAX_TITLE, autocomplete: 'off' },
  summary: {
    kind: 'textarea',
    label: 'summary',
    hint: 'summaryHint',
    rows: 2,
    maxlength: MAX_SUMMARY,
    optional: true,
  },
  body: {
    kind: 'textarea',
    label: 'body',
    hint: 'bodyHint',
    rows: 16,
    maxlength: MAX_BODY,
  },
} as const;

/** Begins an article. */
export const newArticleForm = defineForm('news', (message) => ({
  id: 'new-article',
  title: 'newTitle',
  problemTitle: 'notSaved',
  submit: 'saveDraft',
  schema: z.object({ language: z.enum(LANGS), ...textShape(message) }),
  fields: { language: { kind: 'select', label: 'language', hint: 'languageHint' }, ...textFields },
  refusals: { TOO_MANY: 'tooMany' },
}));

/** Changes what an article says in one language. */
export const textForm = defineForm('news', (message) => ({
  id: 'article-text',
  title: 'editTitle',
  problemTitle: 'notSaved',
  submit: 'save',
  schema: z.object({ version: z.coerce.number(), ...textShape(message) }),
  fields: { version: { kind: 'hidden' }, ...textFields },
  refusals: { EDIT_CONFLICT: 'textChanged' },
}));

/** Whom an article is for, and how long it is shown. */
export const settingsForm = defineForm('news', (message) => ({
  id: 'article-settings',
  title: 'settings',
  problemTitle: 'notSaved',
  submit: 'save',
  schema: z
    .object({
      version: z.coerce.number(),
      audience: z.enum(AUDIENCES),
      kinds: z.array(z.enum(CLIENT_KINDS)),
      tags: z.array(z.string().max(200)),
      expireOn: date(),
      isPinned: z.boolean(),
    })
    .superRefine(({ audience, kinds, tags }, context) => {
      const chosen = { kinds, tags };
      if ((audience === 'kinds' || audience === 'tags') && chosen[audience].length === 0)
        context.addIssue({
          code: 'custom',
          path: [audience],
          message: message(audience === 'kinds' ? 'kindsMissing' : 'tagsMissing').error,
        });
    }),
  fields: {
    version: { kind: 'hidden' },
    audience: { kind: 'choices', label: 'audience' },
    kinds: {
      kind: 'checkboxes',
      label: 'kinds',
      options: [
        ['business', 'kindBusiness'],
        ['individual', 'kindIndividual'],
      ],
    },
    tags: { kind: 'checkboxes', label: 'tags' },
    expireOn: {
      kind: 'date',
      input: 'local',
      years: UPCOMING_YEARS,
      label: 'expireOn',
      hint: 'expireHint',
      optional: true,
    },
    isPinned: { kind: 'checkbox', label: 'pinned', hint: 'pinnedHint' },
  },
  refusals: { EDIT_CONFLICT: 'changedMeanwhile', INVALID: 'changedMeanwhile' },
}));

/** Publishes an article now, or at a time. */
export const publishForm = defineForm('news', (message) => ({
  id: 'publish-article',
  title: 'publish',
  problemTitle: 'notPublished',
  submit: 'publish',
  schema: z
    .object({
      version: z.coerce.number(),
      when: z.enum(['now', 'later']),
      on: date(),
      hour: z.coerce.number().int().min(0).max(23),
      notifies: z.boolean(),
    })
    .superRefine(({ when, on }, context) => {
      if (when === 'later' && on === '')
        context.addIssue({ code: 'custom', path: ['on'], message: message('dateMissing').error });
    }),
  fields: {
    version: { kind: 'hidden' },
    when: {
      kind: 'choices',
      label: 'when',
      options: [
        ['now', 'now'],
        ['later', 'later'],
      ],
    },
    on: {
      kind: 'date',
      input: 'local',
      years: UPCOMING_YEARS,
      label: 'publishOn',
      optional: true,
    },
    hour: { kind: 'select', label: 'publishHour', hint: 'publishHourHint' },
    notifies: { kind: 'checkbox', label: 'notify', hint: 'notifyHint' },
  },
  refusals: {
    EDIT_CONFLICT: 'changedMeanwhile',
    EMPTY: 'forNobody',
    EXPIRED: 'overByThen',
    INVALID: { field: 'on', text: 'timePast' },
  },
}));
