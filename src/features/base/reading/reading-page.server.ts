import { z } from 'zod';
import { defineForm, useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { SIZES } from './reading.ts';
import { readingCookie, loadReading, saveReading } from './reading.server.ts';

const readingForm = defineForm('reading', () => ({
  id: 'reading',
  title: 'title',
  problemTitle: 'problem',
  submit: 'save',
  busy: 'saving',
  schema: z.strictObject({ size: z.enum(SIZES), hasPlainWords: z.boolean(), isReadAloud: z.boolean() }),
  fields: {
    size: { kind: 'choices', label: 'size', wrong: 'sizeWrong' },
    hasPlainWords: { kind: 'checkbox', label: 'plain', hint: 'plainHint' },
    isReadAloud: { kind: 'checkbox', label: 'aloud', hint: 'aloudHint' },
  },
}));

const LABELS = { 100: 'sizeUsual', 125: 'sizeLarger', 150: 'sizeLargest' } as const;

interface Page extends FormPage {
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/** The page on which people choose the size of the text, and whether pages can be read aloud. */
export async function readingPage(page: Page): Promise<FormView | Response> {
  const { lang, pathTo, session } = page.locals;
  const t = translationsFor(lang, 'reading');
  const { contactId } = session.actor;
  return useForm(page, readingForm, {
    values: { ...(await loadReading(contactId)) },
    choices: { size: SIZES.map((size) => ({ value: size, text: t(LABELS[size]) })) },
    submit: async (reading) => {
      await saveReading(session, reading);
      return {
        to: pathTo('profile/reading'),
        flash: { type: 'success', namespace: 'reading', key: 'saved' },
        cookies: [readingCookie(contactId, reading)],
      };
    },
  });
}
