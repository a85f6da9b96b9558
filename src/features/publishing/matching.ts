/*
 * Finding a client's number, tax id or name in the name of a file.
 */

const MAX_WORDS = 8;

/** The words of a text: folded, without anything else. */
const wordsIn = (folded: string): string[] => folded.match(/[\p{L}\p{N}]+/gu) ?? [];

/** The form in which numbers and names are compared: words with a space between. */
export const phraseOf = (folded: string): string => wordsIn(folded).join(' ');

/** All sequences of words in a file's name without its extension: what a client's number or name may be. */
export function phrasesIn(folded: string): string[] {
  const words = wordsIn(folded.replace(/\.[^.]*$/u, ''));
  return words.flatMap((_, start) =>
    words
      .slice(start, start + MAX_WORDS)
      .map((__, length) => words.slice(start, start + length + 1).join(' ')),
  );
}

/** What may be a tax id, without punctuation and in capitals. */
export const taxIdsIn = (phrases: readonly string[]): string[] => [
  ...new Set(
    phrases
      .map((phrase) => phrase.replaceAll(' ', '').toUpperCase())
      .filter((text) => /^[\dA-Z]{8,15}$/.test(text) && /\d{3}/.test(text)),
  ),
];
