import { emailAddressOrText, isEmailAddress } from '#platform/inputs/email-address.ts';
import { withMask, withoutMask, type Mask } from '#platform/inputs/masks.ts';
import { isTaxId, TAX_IDS } from '#platform/inputs/tax-ids.ts';

/* Identifiers that questionnaires ask for, for the server and the browser. */

export const IDENTIFIER_SCHEMES = [
  'ssn',
  'itin',
  'ein',
  'nino',
  'utr',
  'sin',
  'cpf',
  'cnpj',
  'cep',
  'iban',
  'routing',
  'account',
  'sort-code',
  'pix',
  'vin',
] as const;
export type Scheme = (typeof IDENTIFIER_SCHEMES)[number];

interface Rule {
  mask?: Mask;
  /** A number that does not belong to anyone, as messages show it. */
  example: string;
  /** Checks a number without punctuation. */
  isValid: (number: string) => boolean;
  /** Whether a valid number is as its authority assigns them; otherwise the person is asked to check it. */
  isUsual?: (number: string) => boolean;
  /** Not a secret: shown in full. */
  isPublic?: true;
  normalize?: (text: string) => string;
}

const compact = (text: string): string =>
  text
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[\s.\-‐-―/]/g, '');

/** The group of an individual taxpayer number, its fourth and fifth digit, as the IRS assigns them. */
const isItin = (number: string): boolean => /^9\d{2}(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])\d{4}$/.test(number);

const isUsualSsn = (number: string): boolean =>
  number.startsWith('9') ? isItin(number) : isTaxId('ssn', number);

/** ISO 13616: the remainder of 97 is one, with the country and check digits moved to the end. */
function isIban(number: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z\d]{11,30}$/.test(number)) return false;
  const digits = [...number.slice(4), ...number.slice(0, 4)]
    .map((each) => Number.parseInt(each, 36))
    .join('');
  return [...digits].reduce((remainder, digit) => (remainder * 10 + Number(digit)) % 97, 0) === 1;
}

/** A routing number of the American Bankers Association: weights 3, 7, 1, and a district that exists. */
function isRouting(number: string): boolean {
  if (!/^(?:0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}$/.test(number)) return false;
  return (
    [...number].reduce(
      (sum, digit, at) => sum + Number(digit) * (at % 3 === 0 ? 3 : at % 3 === 1 ? 7 : 1),
      0,
    ) %
      10 ===
    0
  );
}

const VIN_WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];

/** The value of a character of a vehicle identification number (49 CFR 565.15). */
const vinValue = (character: string): number =>
  /\d/.test(character)
    ? Number(character)
    : Number('12345678012345070923456789'[character.charCodeAt(0) - 65] ?? 0);

function hasVinDigit(number: string): boolean {
  const sum = [...number].reduce((total, each, at) => total + vinValue(each) * (VIN_WEIGHTS[at] ?? 0), 0);
  return number[8] === (sum % 11 === 10 ? 'X' : String(sum % 11));
}

/** A key of Pix: a tax id, a phone number, an email address or a random key. */
function pixKey(text: string): string {
  const trimmed = text.normalize('NFKC').trim();
  if (trimmed.includes('@')) return emailAddressOrText(trimmed).toLowerCase();
  if (/^[\da-f]{8}-/i.test(trimmed)) return trimmed.toLowerCase();
  return trimmed.startsWith('+') ? `+${trimmed.replaceAll(/\D/g, '')}` : compact(trimmed);
}

const isPixKey = (key: string): boolean =>
  isTaxId('cpf', key) ||
  isTaxId('cnpj', key) ||
  /^\+55\d{10,11}$/.test(key) ||
  /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(key) ||
  (key.length <= 77 && isEmailAddress(key));

const taxId = (kind: 'ein' | 'nino' | 'utr' | 'sin' | 'cpf' | 'cnpj'): Rule => ({
  mask: kind,
  example: TAX_IDS[kind].example,
  isValid: TAX_IDS[kind].isValid,
});

const RULES: Readonly<Record<Scheme, Rule>> = {
  ssn: {
    mask: 'ssn',
    example: TAX_IDS.ssn.example,
    isValid: (number) => /^\d{9}$/.test(number),
    isUsual: isUsualSsn,
  },
  itin: {
    mask: 'ssn',
    example: '900-70-0000',
    isValid: (number) => /^9\d{8}$/.test(number),
    isUsual: isItin,
  },
  ein: taxId('ein'),
  nino: taxId('nino'),
  utr: taxId('utr'),
  sin: taxId('sin'),
  cpf: taxId('cpf'),
  cnpj: taxId('cnpj'),
  cep: { mask: 'cep', example: '01.310-100', isValid: (number) => /^\d{8}$/.test(number), isPublic: true },
  iban: { example: 'GB82 WEST 1234 5698 7654 32', isValid: isIban },
  routing: { example: '021000021', isValid: isRouting, isPublic: true },
  account: { example: '12345678', isValid: (number) => /^[A-Z\d]{3,34}$/.test(number) },
  'sort-code': { example: '20-00-00', isValid: (number) => /^\d{6}$/.test(number), isPublic: true },
  pix: { example: '529.982.247-25', isValid: isPixKey, normalize: pixKey },
  vin: {
    example: '1M8GDM9AXKP042788',
    isValid: (number) => /^[A-HJ-NPR-Z\d]{17}$/.test(number),
    isUsual: hasVinDigit,
    isPublic: true,
  },
};

/** The longest text that is read as an identifier. */
const MAX_IDENTIFIER = 100;

/** The number without punctuation, in capitals; other characters stay, for the check to refuse. */
export function normalizedIdentifier(scheme: Scheme, text: string): string {
  const { normalize, mask } = RULES[scheme];
  if (normalize) return normalize(text);
  return mask === undefined ? compact(text) : withoutMask(mask, text);
}

export const isIdentifier = (scheme: Scheme, number: string): boolean =>
  number.length <= MAX_IDENTIFIER && RULES[scheme].isValid(number);

/** Whether a valid number looks as its authority assigns them. */
export const isUsualIdentifier = (scheme: Scheme, number: string): boolean =>
  RULES[scheme].isUsual?.(number) ?? true;

export const identifierExample = (scheme: Scheme): string => RULES[scheme].example;
export const identifierMask = (scheme: Scheme): Mask | undefined => RULES[scheme].mask;
export const isPublicScheme = (scheme: Scheme): boolean => RULES[scheme].isPublic === true;

/** The number with its punctuation. */
export function shownIdentifier(scheme: Scheme, number: string): string {
  const { mask } = RULES[scheme];
  return mask === undefined ? number : withMask(mask, number);
}

/** The number with only its end readable: `•••-••-6789`; of a short one the last two characters. */
export function maskedIdentifier(scheme: Scheme, number: string): string {
  const text = shownIdentifier(scheme, number);
  const characters = [...text];
  const places = characters.flatMap((each, at) => (/[\p{L}\p{N}]/u.test(each) ? [at] : []));
  const readable = new Set(places.slice(-(places.length < 8 ? 2 : 4)));
  return characters.map((each, at) => (places.includes(at) && !readable.has(at) ? '•' : each)).join('');
}
