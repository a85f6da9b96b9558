import type { Text } from '#features/tasks/questionnaires/questionnaires.ts';
import { ENGLISH, respelled, type English } from '#platform/text/english.ts';
import { LANGS, type Lang } from '#platform/text/languages.ts';
import { common as commonEs } from './es/common.ts';
import { common as commonFr } from './fr/common.ts';
import { common as commonPt } from './pt/common.ts';

/*
 * The texts of a starter are written in its file, in the English of its country. The folders es, pt and fr have the
 * translations by the English text, for each country and for what all of them share, so that one thing has one name.
 * TypeScript refuses a text without a translation, and a translation that another language lacks.
 */

type Translated = 'es' | 'pt' | 'fr';
type Translations<E extends string> = Readonly<Record<E, string>>;
type Common = keyof typeof commonEs;

/** Makes the text of every language. English variants are given where more than the spelling differs. */
type Texts<E extends string> = (text: E | Common, english?: Partial<Record<English, string>>) => Text;

/** For texts that the translations of every country share. */
export type CommonTexts = Texts<never>;

export function textsOf<E extends string>(
  source: English,
  own: Readonly<Record<Translated, Translations<E>>>,
): Texts<E> {
  const translations: Readonly<Record<Translated, Translations<E | Common>>> = {
    es: { ...commonEs, ...own.es },
    pt: { ...commonPt, ...own.pt },
    fr: { ...commonFr, ...own.fr },
  };
  return (text, english = {}) => ({
    ...Object.fromEntries(ENGLISH.map((lang) => [lang, english[lang] ?? respelled(text, source, lang)])),
    es: translations.es[text],
    pt: translations.pt[text],
    fr: translations.fr[text],
  });
}

/** The texts that the starters of every country share. */
export const common = textsOf<never>('en-us', { es: {}, pt: {}, fr: {} });

/** The name of a form, a programme or a company, or a code: the same in every language. */
export const properName = (name: string): Text => Object.fromEntries(LANGS.map((lang) => [lang, name]));

/** Every language, the one of the country first. */
export const languagesFrom = (first: Lang): Lang[] => [first, ...LANGS.filter((lang) => lang !== first)];
