import { createHash } from 'node:crypto';

/*
 * Every email has a code in its footer. Whoever enters it on the page for it learns whether the portal sent that email,
 * when and about what, and so notices one that only looks like it.
 */

/** Digits and letters that cannot be mistaken for each other (Crockford’s base 32). */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 8;

/** The code of an email, `7KD2-9QXM`. */
export function checkCodeOf(mailId: string): string {
  const digest = createHash('sha256').update(`mail-check:${mailId}`).digest();
  const letters = Array.from(digest.subarray(0, LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** Reads a code as people type it: in lower case, with spaces, or with letters that look like digits. */
export function readCheckCode(typed: string): string | undefined {
  const letters = typed
    .toUpperCase()
    .replaceAll(/[\s\p{P}]/gu, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  const isCode = letters.length === LENGTH && [...letters].every((letter) => ALPHABET.includes(letter));
  return isCode ? `${letters.slice(0, 4)}-${letters.slice(4)}` : undefined;
}
