/*
 * Masks of fields (spec 2, sections "Mask formats" and "Validators"), for the server and the browser. Input is
 * accepted with or without punctuation; the schema gets it without, and the page displays it with.
 */

/**
 * `0` stands for a digit, `L` for a letter, `A` for either (Brazil's CNPJ has letters since July 2026), `*` for a
 * digit or an asterisk, which hides it. The first mask that fits displays the value; the last one is the longest.
 */
export const MASKS = {
  ein: ['00-0000000'],
  ssn: ['***-**-0000'],
  cnpj: ['AA.AAA.AAA/AAAA-00'],
  cpf: ['000.000.000-00'],
  utr: ['00000 00000'],
  nino: ['LL 00 00 00', 'LL 00 00 00 L'],
  bn: ['000000000', '000000000 LL 0000'],
  sin: ['000 000 000'],
  abn: ['00 000 000 000'],
  tfn: ['000 000 00', '000 000 000'],
  cuit: ['00-00000000-0'],
  cep: ['00.000-000'],
  phone: ['(000) 000-0000'],
} as const;
export type Mask = keyof typeof MASKS;

export const isMask = (name: string | undefined): name is Mask => name !== undefined && name in MASKS;

const PLACES: Readonly<Record<string, RegExp>> = {
  '0': /^\d$/,
  L: /^[A-Z]$/,
  A: /^[\dA-Z]$/,
  '*': /^[\d*]$/,
};

const PUNCTUATION = /[\s.,/()\p{Pd}]/gu;

/** What people write before a number and does not belong to it. */
const PREFIXES: Partial<Record<Mask, RegExp>> = {
  phone: /^\+?1(?=\d{10}$)/,
  utr: /^\d{3}(?=\d{10}$)/, // the tax office's part of a payment reference
};

/**
 * The value without punctuation, in capitals and with Western digits. Characters that the mask does not allow stay, for
 * the schema to refuse.
 */
export const withoutMask = (mask: Mask, text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(PUNCTUATION, '')
    .toUpperCase()
    .replace(PREFIXES[mask] ?? '', '');

/** The value with the punctuation of its mask; unchanged when it does not fit. */
export function withMask(mask: Mask, text: string): string {
  const characters = [...withoutMask(mask, text)];
  const fitting = MASKS[mask].map((each) => fill(each, characters)).find((filled) => filled !== undefined);
  return fitting ?? text;
}

function fill(mask: string, characters: readonly string[]): string | undefined {
  const places = [...mask].filter((place) => place in PLACES);
  if (places.length !== characters.length) return undefined;
  if (!places.every((place, index) => PLACES[place]?.test(characters[index] ?? ''))) return undefined;
  const rest = characters.values();
  return [...mask].map((place) => (place in PLACES ? rest.next().value : place)).join('');
}

/** What may be typed at each place of the mask: a pattern, or the punctuation itself. Small letters are accepted. */
export const typingMask = (mask: Mask): (RegExp | string)[] =>
  [...(MASKS[mask].at(-1) ?? '')].map((place) => {
    // an asterisk hides a digit that is stored; nobody types one
    if (place === '*') return /[\d*]/;
    const pattern = PLACES[place];
    return pattern ? new RegExp(pattern.source.slice(1, -1), 'i') : place;
  });
