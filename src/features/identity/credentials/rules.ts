/** Length limits of a password, in characters after NFC. */
const MIN_CHARACTERS = 12;
const MAX_CHARACTERS = 128;

export type PasswordProblem = 'tooShort' | 'tooLong' | 'common' | 'personal';

interface PasswordContext {
  /** Names, e-mail address and firms of the person. */
  words: readonly string[];
  /** The check against common passwords, which is on the server. */
  isCommon?: (password: string) => boolean;
}

/**
 * Returns why this password is not allowed, by the first reason; undefined if it is. There are no rules about
 * kinds of characters.
 */
export function passwordProblem(
  password: string,
  { words, isCommon = () => false }: PasswordContext,
): PasswordProblem | undefined {
  const typed = password.normalize('NFC');
  const characters = [...typed].length;
  if (characters < MIN_CHARACTERS) return 'tooShort';
  if (characters > MAX_CHARACTERS) return 'tooLong';
  if (isMonotonous(typed) || isCommon(typed)) return 'common';
  return isPersonal(typed, words) ? 'personal' : undefined;
}

const MIN_DIFFERENT = 5;
const MIN_WORD = 4;
/** A password may contain a personal word if there is enough else in it. */
const ENOUGH_BESIDE = 12;

/**
 * Few different characters, or each one next to the previous one: aaaaaaaaaaaa, abcabcabcabc, 123456789012.
 */
function isMonotonous(text: string): boolean {
  const characters = [...text.toLowerCase()];
  const steps = characters
    .slice(1)
    .map((character, i) => (character.codePointAt(0) ?? 0) - (characters[i]?.codePointAt(0) ?? 0));
  const runs = steps.filter((step) => Math.abs(step) === 1 || step === -9).length;
  return new Set(characters).size < MIN_DIFFERENT || runs >= steps.length - 1;
}

function isPersonal(password: string, words: readonly string[]): boolean {
  const text = plain(password);
  const parts = [...new Set(words.flatMap((word) => [word, ...word.split(/[\s@.,&'’_+-]+/)].map(plain)))]
    .filter((word) => word.length >= MIN_WORD)
    .toSorted((a, b) => b.length - a.length);
  const rest = parts.reduce((left, part) => left.replaceAll(part, ''), text);
  return rest.length < text.length && rest.length < ENOUGH_BESIDE;
}

/** Letters and digits alone, without case and accents. */
export const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
