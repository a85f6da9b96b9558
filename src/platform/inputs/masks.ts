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
  date: ['00/00/0000'], // day, month, year
} as const;

/** What may be typed into fields without places of their own; their rules are in numbers.ts and schemas.server.ts. */
const FREE = {
  hours: /^\d{0,3}(?::(?:[0-5]\d?)?)?$/,
  decimal: /^[\d.,]{0,14}$/,
  internationalPhone: /^\+?\d{0,15}$/,
} as const;

type FixedMask = keyof typeof MASKS;
export type Mask = FixedMask | keyof typeof FREE;

export const isMask = (name: string | undefined): name is Mask =>
  name !== undefined && (Object.hasOwn(MASKS, name) || isFree(name));

const isFree = (name: string): name is keyof typeof FREE => Object.hasOwn(FREE, name);

const PLACES: Readonly<Record<string, RegExp>> = {
  '0': /^\d$/,
  L: /^[A-Z]$/,
  A: /^[\dA-Z]$/,
  '*': /^[\d*]$/,
};

const PUNCTUATION = /[\s.,/()\p{Pd}]/gu;

/** How people also write a value: what is replaced before its punctuation is removed. */
const OTHER_FORMS: Partial<Record<Mask, readonly (readonly [RegExp, string])[]>> = {
  date: [[/^\s*(\d{4})-(\d\d)-(\d\d)\s*$/, '$3$2$1']],
  phone: [[/^[\s(]*\+?1(?=(?:\D*\d){10}\D*$)/, '']],
  utr: [[/^\s*\d{3}(?=(?:\s*\d){10}\s*$)/, '']], // the tax office's part of a payment reference
  decimal: [[/(?:\s|\p{Sc}|^R(?=\$))/gu, '']],
};

/**
 * The value without punctuation, in capitals and with Western digits. Characters that the mask does not allow stay, for
 * the schema to refuse.
 */
export function withoutMask(mask: Mask, text: string): string {
  const plain = (OTHER_FORMS[mask] ?? []).reduce(
    (form, [pattern, replacement]) => form.replace(pattern, replacement),
    text.normalize('NFKC').toUpperCase(),
  );
  if (mask === 'decimal') return withoutThousands(plain);
  return plain.replaceAll(mask === 'hours' ? /\s/g : PUNCTUATION, '');
}

/** Removes separators of thousands, where they cannot be the decimal separator: `1.234,5` and `1,234,567`. */
function withoutThousands(text: string): string {
  const [, thousands, decimals = ''] =
    /^(\d{1,3}(?:\.\d{3})+)(,\d+)$/.exec(text) ??
    /^(\d{1,3}(?:,\d{3})+)(\.\d+)$/.exec(text) ??
    /^(\d{1,3}(?:\.\d{3}){2,}|\d{1,3}(?:,\d{3}){2,})$/.exec(text) ??
    [];
  return thousands === undefined ? text : thousands.replaceAll(/\D/g, '') + decimals;
}

/** The value with the punctuation of its mask; unchanged when it does not fit. */
export function withMask(mask: Mask, text: string): string {
  const plain = withoutMask(mask, text);
  if (isFree(mask)) return FREE[mask].test(plain) ? plain : text;
  const fitting = MASKS[mask].map((each) => fill(each, [...plain])).find((filled) => filled !== undefined);
  return fitting ?? text;
}

function fill(mask: string, characters: readonly string[]): string | undefined {
  const places = [...mask].filter((place) => place in PLACES);
  if (places.length !== characters.length) return undefined;
  if (!places.every((place, index) => PLACES[place]?.test(characters[index] ?? ''))) return undefined;
  const rest = characters.values();
  return [...mask].map((place) => (place in PLACES ? rest.next().value : place)).join('');
}

/**
 * What may be typed: a pattern of the whole text, or what is allowed at each place, a pattern or the punctuation itself.
 * Small letters are accepted.
 */
export const typingMask = (mask: Mask): RegExp | (RegExp | string)[] =>
  isFree(mask)
    ? FREE[mask]
    : [...(MASKS[mask].at(-1) ?? '')].map((place) => {
        const pattern = PLACES[place];
        return pattern ? new RegExp(pattern.source.slice(1, -1), 'i') : place;
      });

/** The text without punctuation and without what the mask accepts nowhere, which cannot be typed into it. */
export const typedText = (mask: Mask, text: string): string =>
  [...withoutMask(mask, text)].filter((character) => accepts(mask, character)).join('');

const accepts = (mask: Mask, character: string): boolean =>
  isFree(mask)
    ? FREE[mask].test(character)
    : [...MASKS[mask].join('')].some((place) => PLACES[place]?.test(character));

/** Whether the text, without its punctuation, is longer than what the mask has places for. */
export const exceedsMask = (mask: Mask, text: string): boolean =>
  isFree(mask)
    ? !FREE[mask].test(withoutMask(mask, text))
    : withoutMask(mask, text).length >
      [...(MASKS[mask].at(-1) ?? '')].filter((place) => place in PLACES).length;
