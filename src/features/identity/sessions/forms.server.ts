import { z } from 'zod';
import { defineForm, type Field } from '#platform/forms/forms.server.ts';
import { DEFAULT_LANG, LANGS, languageOf, type Lang } from '#platform/text/languages.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import { MAX_TERMS, termsAcceptance } from './sessions.ts';

const languageName = (lang: Lang): string => translationsFor(lang, 'common')('languageName');
const forEachLanguage = <T>(make: (lang: Lang) => T) =>
  Object.fromEntries(LANGS.map((lang) => [lang, make(lang)])) as Record<Lang, T>;

/** A new version of the terms, with a text for each language; the firm's own language is required. */
export const termsForm = defineForm('session', (message) => ({
  id: 'terms',
  title: 'publishTitle',
  problemTitle: 'publishErrorTitle',
  submit: 'publish',
  schema: z.object(forEachLanguage(() => z.string().trim().max(MAX_TERMS, message('textTooLong')))),
  fields: forEachLanguage((lang): Field<KeysOf<'session'>> => ({
    kind: 'textarea',
    label: 'textIn',
    vars: { language: languageName(lang) },
    optional: true,
    rows: 4,
    ...(lang === LANGS[0] && { hint: 'publishHint' }),
  })),
  refusals: {
    INVALID: {
      field: ({ language }) => languageOf(String(language)) ?? DEFAULT_LANG,
      text: 'textMissing',
      vars: ({ language }) => ({ language: languageName(languageOf(String(language)) ?? DEFAULT_LANG) }),
    },
  },
}));

/** Accepts the terms that were read, by their digest. */
export const acceptTermsForm = defineForm('session', () => ({
  id: 'terms',
  title: 'termsTitle',
  problemTitle: 'termsErrorTitle',
  submit: 'accept',
  schema: termsAcceptance.extend({ version: z.coerce.number<string>().pipe(termsAcceptance.shape.version) }),
  fields: {
    version: { kind: 'hidden', wrong: 'termsChanged' },
    language: { kind: 'hidden', wrong: 'termsChanged' },
    sha256: { kind: 'hidden', wrong: 'termsChanged' },
  },
  refusals: { NOT_FOUND: 'termsChanged' },
}));
