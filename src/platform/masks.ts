/*
 * Masks of fields (spec 2, sections "Mask formats" and "Validators"). Input is accepted with or without
 * punctuation; the schema gets it without, and the page displays it with.
 */

/** `0` stands for a digit, `A` for a digit or a letter (Brazil's CNPJ has letters since July 2026). */
const MASKS = {
  cpf: '000.000.000-00',
  cnpj: 'AA.AAA.AAA/AAAA-00',
  cep: '00.000-000',
  ssn: '000-00-0000',
  phone: '(000) 000-0000',
} as const;
export type Mask = keyof typeof MASKS;

const PUNCTUATION = /[\s.,/()-]/g;

/** The value without punctuation. Characters that the mask does not allow stay, for the schema to refuse. */
export const withoutMask = (text: string): string => text.replaceAll(PUNCTUATION, '').toUpperCase();

/** The value with the punctuation of its mask; unchanged when it does not fit. */
export function withMask(mask: Mask, text: string): string {
  const characters = [...withoutMask(text)];
  let isFitting = true;
  const masked = [...MASKS[mask]].map((place) => {
    if (place !== '0' && place !== 'A') return place;
    const character = characters.shift() ?? '';
    if (!(place === '0' ? /^\d$/ : /^[\dA-Z]$/).test(character)) isFitting = false;
    return character;
  });
  return isFitting && characters.length === 0 ? masked.join('') : text;
}
