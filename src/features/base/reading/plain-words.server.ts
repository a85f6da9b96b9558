import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { markup } from '#ui/markup.ts';
import { en } from './terms/en.ts';
import { es } from './terms/es.ts';
import { fr } from './terms/fr.ts';
import { pt } from './terms/pt.ts';
import type { Terms } from './terms/terms.ts';

const TERMS: Readonly<Record<Lang, Terms>> = {
  'en-us': en,
  'en-gb': en,
  'en-au': en,
  'en-ca': en,
  es,
  pt,
  fr,
};

/** More would be longer than many pages. */
const MAX_WORDS = 5;

/** Adds to a page what the words of the profession in it mean, at its end; those that come first, at most five. */
export function explainWords(html: string, lang: Lang): string {
  const end = html.lastIndexOf('</main>');
  const start = html.indexOf('<main');
  const found = start === -1 || end < start ? [] : wordsIn(textOf(html.slice(start, end)), lang);
  if (found.length === 0) return html;
  const t = translationsFor(lang, 'reading');
  const explained = markup`<section class="plain-words" aria-labelledby="plain-words"><h2 id="plain-words">${t('words')}</h2><dl>${found.map(([word, meaning]) => markup`<dt><dfn>${word}</dfn></dt><dd>${meaning}</dd>`)}</dl></section>`;
  return html.slice(0, end) + explained.html + html.slice(end);
}

/** The words that a text has, as they are written there, in their order. */
export function wordsIn(text: string, lang: Lang): [word: string, meaning: string][] {
  const found = TERMS[lang].flatMap(([words, meaning]) => {
    const match = patternOf(words).exec(text);
    return match ? [{ at: match.index, word: match[0], meaning }] : [];
  });
  return found
    .toSorted((a, b) => a.at - b.at)
    .slice(0, MAX_WORDS)
    .map(({ word, meaning }) => [word, meaning]);
}

const patterns = new Map<readonly string[], RegExp>();

/** Finds any of some words. Abbreviations are written as they are: “DAS” is a tax, “das” is not. */
function patternOf(words: readonly string[]): RegExp {
  const known = patterns.get(words);
  if (known) return known;
  const isAbbreviation = words.every((word) => /\p{Lu}.*[\p{Lu}\p{Nd}]|^\p{Nd}+$/u.test(word));
  const either = words
    .toSorted((a, b) => b.length - a.length)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('|');
  const pattern = new RegExp(
    String.raw`(?<![\p{L}\p{Nd}])(?:${either})(?![\p{L}\p{Nd}])`,
    isAbbreviation ? 'u' : 'iu',
  );
  patterns.set(words, pattern);
  return pattern;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&#39;': '’',
  '&quot;': '"',
  '&nbsp;': ' ',
};

/** What a page says, without what people choose or type in. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<(script|style|svg|select|textarea|button|template)\b.*?<\/\1>/gs, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(?:amp|#39|quot|nbsp);/g, (entity) => ENTITIES[entity] ?? ' ')
    .replaceAll(/\s+/g, ' ');
