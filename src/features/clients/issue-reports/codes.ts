/** Letters and digits that nobody confuses when they say a code on the telephone. */
const ALPHABET = '23456789abcdefghjkmnpqrstvwxyz';

/** Two random parts of five characters (spec 2, section 3). */
export const REFERENCE_CODE = new RegExp(`^[${ALPHABET}]{5}-[${ALPHABET}]{5}$`);

/** A new reference code, from 30^10 of them. */
export function newReferenceCode(): string {
  const letters = [...crypto.getRandomValues(new Uint32Array(10))].map((n) => ALPHABET[n % ALPHABET.length]);
  return `${letters.slice(0, 5).join('')}-${letters.slice(5).join('')}`;
}
