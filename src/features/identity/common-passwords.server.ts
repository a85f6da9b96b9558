import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '#platform/root.server.ts';
import { plain } from './rules.ts';

/*
 * The words that common passwords are made of, in the portal's languages. A list of the long ones would hold them a thousand times over:
 * welcome2026!!, Summer-Summer-1, p@ssw0rdp@ssw0rd. So a password is taken apart instead.
 */
const words = new Set(fs.readFileSync(path.join(ROOT, 'src/features/identity/common-passwords.txt'), 'utf8').split(/\s+/).map(plain).filter(Boolean));
const LONGEST = Math.max(...[...words].map((word) => word.length));
const MOST_WORDS = 3;

const LOOKALIKES: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's', '!': 'i', '€': 'e' };

/** True for up to three common words, however they are spelled and whatever digits and signs stand around and between them. */
export function isCommon(password: string): boolean {
  const bare = password.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const spelled = (text: string): string => plain([...text].map((character) => LOOKALIKES[character] ?? character).join(''));
  const withoutDigits = (text: string): string => plain(text).replace(/\p{N}/gu, '');
  return [plain(password), spelled(password), spelled(bare), withoutDigits(password)].some((text) => (text === '' ? /^[ -~]*$/.test(password) : isMadeOf(text, MOST_WORDS))) || isRepeated(plain(password));
}

function isMadeOf(text: string, most: number): boolean {
  if (text === '') return true;
  if (most === 0) return false;
  for (let length = Math.min(LONGEST, text.length); length > 0; length -= 1) {
    if (words.has(text.slice(0, length)) && isMadeOf(text.slice(length), most - 1)) return true;
  }
  return false;
}

/** One piece, of at most half the length, again and again. */
const isRepeated = (text: string): boolean => /^(.{1,8}?)\1+(?:.{0,4})$/u.test(text) && text.length >= 8;
