import { z } from 'zod';
import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import type { Lang } from '#platform/text/languages.ts';
import type { NewTask } from './tasks.ts';

/* Documents and questions that staff list in a form, as what a task asks. */

export const MAX_ITEMS = 40;
export const ITEM_KINDS = ['files', 'paragraph', 'yesNo', 'date', 'number'] as const;

/** The listed documents and questions; rows without a text are ignored. */
export const ownItems = z
  .array(
    z.object({
      label: z.string().trim().max(500),
      kind: z.enum(ITEM_KINDS),
      isRequired: z.boolean(),
    }),
  )
  .max(MAX_ITEMS);

/** The countries of the languages: a firm's own templates come first, and its rules are those of its own questions. */
export const COUNTRIES: Readonly<Record<Lang, string>> = {
  'en-us': 'US',
  'en-gb': 'GB',
  'en-au': 'AU',
  'en-ca': 'CA',
  es: 'AR',
  pt: 'BR',
  fr: 'CA',
};

interface OwnQuestions {
  title: string;
  /** Shown above the questions. */
  message: string;
  items: z.output<typeof ownItems>;
}

/** What a list of documents and questions asks, and the type of such a task. */
export function ownQuestions(
  { title, message, items }: OwnQuestions,
  lang: Lang,
): { type: 'document_request' | 'misc'; form: TemplateInput } {
  const asked = items.filter(({ label }) => label !== '');
  return {
    type: asked.every(({ kind }) => kind === 'files') ? 'document_request' : 'misc',
    form: {
      format: 1,
      key: 'request',
      country: COUNTRIES[lang],
      languages: [lang],
      label: { [lang]: title },
      sections: [
        {
          key: 'request',
          label: { [lang]: title },
          ...(message !== '' && { lead: { [lang]: message } }),
          items: asked.map(({ label, kind, isRequired }, at) => ({
            key: `item-${at + 1}`,
            label: { [lang]: label },
            required: isRequired,
            kind,
          })) as TemplateInput['sections'][number]['items'],
        },
      ],
    },
  };
}

/** A task that asks what was listed. */
export function ownTask(
  { taxYear, dueDate, ...asked }: OwnQuestions & { taxYear: string; dueDate: string },
  lang: Lang,
): Omit<NewTask, 'clientId'> {
  const { type, form } = ownQuestions(asked, lang);
  return {
    type,
    label: asked.title,
    dueDate: dueDate === '' ? null : dueDate,
    sendNotification: true,
    ...(taxYear !== '' && { params: { taxYear: Number(taxYear) } }),
    form: { ...form },
  };
}
