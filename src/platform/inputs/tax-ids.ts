import { withoutMask, type Mask } from './masks.ts';

/*
 * Numbers of taxpayers, for the server and the browser. A check digit is verified where the authority publishes one.
 * Own code, compared with the package stdnum in the tests (docs/decisions/0051).
 */

/** The kinds of tax ids, by the name of their mask. */
export const TAX_ID_KINDS = [
  'ein',
  'ssn',
  'cnpj',
  'cpf',
  'utr',
  'nino',
  'bn',
  'sin',
  'abn',
  'tfn',
  'cuit',
] as const satisfies readonly Mask[];
export type TaxIdKind = (typeof TAX_ID_KINDS)[number];

/** Checks a number of this kind, with or without punctuation. */
export const isTaxId = (kind: TaxIdKind, text: string): boolean =>
  TAX_IDS[kind].isValid(withoutMask(kind, text));

/** The digits of the numbers that begin with zeros and have check digits, by which a lost zero is recognized. */
const LENGTHS: Partial<Record<TaxIdKind, number>> = { cnpj: 14, cpf: 11, utr: 10, bn: 9, sin: 9 };
const MAX_LOST = 3;

/**
 * The number with the zeros at its beginning that a spreadsheet dropped; undefined unless up to three are missing and
 * its check digits fit then.
 */
export function withLostZeros(kind: TaxIdKind, text: string): string | undefined {
  const digits = withoutMask(kind, text);
  const length = LENGTHS[kind] ?? 0;
  if (!/^\d+$/.test(digits) || digits.length >= length || digits.length < length - MAX_LOST) return undefined;
  const whole = digits.padStart(length, '0');
  return isTaxId(kind, whole) ? whole : undefined;
}

/** The sum of the digits, each times its weight. A letter counts as its ASCII code minus 48 (IN RFB 2.229/2024). */
const weightedSum = (text: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + (text.charCodeAt(index) - 48) * weight, 0);

const isRepeated = (text: string): boolean => /^(.)\1*$/.test(text);

/** The check digit of Brazil's numbers. */
function brazilianDigit(text: string, weights: readonly number[]): string {
  const remainder = weightedSum(text, weights) % 11;
  return String(remainder < 2 ? 0 : 11 - remainder);
}

function isCnpj(text: string): boolean {
  const weights = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
  return (
    /^[\dA-Z]{12}\d{2}$/.test(text) &&
    !isRepeated(text) &&
    text[12] === brazilianDigit(text, weights.slice(1)) &&
    text[13] === brazilianDigit(text, weights)
  );
}

function isCpf(text: string): boolean {
  const weights = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2];
  return (
    /^\d{11}$/.test(text) &&
    !isRepeated(text) &&
    text[9] === brazilianDigit(text, weights.slice(1)) &&
    text[10] === brazilianDigit(text, weights)
  );
}

/** A social security number as it may be assigned, or an individual taxpayer number, which begins with 9. */
const isSsnOrItin = (text: string): boolean =>
  /^(?:(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}|9\d{8})$/.test(text);

const isUtr = (text: string): boolean =>
  /^\d{10}$/.test(text) &&
  text[0] === '21987654321'[weightedSum(text.slice(1), [6, 7, 8, 9, 10, 5, 4, 3, 2]) % 11];

/** Prefixes as HMRC assigns them (NIM39110); the last letter may be missing, as in real-time information. */
const isNino = (text: string): boolean =>
  /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]?$/.test(text);

/** The number alone, or with a program account such as RC 0001. */
const isBusinessNumber = (text: string): boolean =>
  /^\d{9}(?:R[A-Z]\d{4})?$/.test(text) && hasLuhnDigit(text.slice(0, 9)) && !isRepeated(text);

/** Nine digits whose last one is the check digit of Luhn. */
function hasLuhnDigit(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false;
  const digits = [...text].map(Number).map((digit, index) => (index % 2 === 0 ? digit : digit * 2));
  return digits.reduce((sum, digit) => sum + (digit > 9 ? digit - 9 : digit), 0) % 10 === 0;
}

/** The two check digits in front are at least 11. */
const isAbn = (text: string): boolean =>
  /^(?!10)[1-9]\d{10}$/.test(text) &&
  (weightedSum(text, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0;

/** Numbers of eight digits are not checked: sources disagree on their weights. */
const isTfn = (text: string): boolean =>
  /^\d{8,9}$/.test(text) &&
  !isRepeated(text) &&
  (text.length === 8 || weightedSum(text, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0);

const isCuit = (text: string): boolean =>
  /^(?:2[03-7]|3[034]|5[015])\d{9}$/.test(text) &&
  text[10] === '09987654321'[weightedSum(text, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11];

interface TaxIdRule {
  /** ISO 3166-1. */
  country: string;
  /** A number that does not belong to anybody, as the messages show it. */
  example: string;
  /** Checks a number without punctuation. */
  isValid: (number: string) => boolean;
}

export const TAX_IDS: Readonly<Record<TaxIdKind, TaxIdRule>> = {
  ein: { country: 'US', example: '12-3456789', isValid: (text) => /^(?!00)\d{9}$/.test(text) },
  ssn: { country: 'US', example: '123-45-6789', isValid: isSsnOrItin },
  cnpj: { country: 'BR', example: '11.222.333/0001-81', isValid: isCnpj },
  cpf: { country: 'BR', example: '529.982.247-25', isValid: isCpf },
  utr: { country: 'GB', example: '20000 00000', isValid: isUtr },
  nino: { country: 'GB', example: 'AB 12 34 56 C', isValid: isNino },
  bn: { country: 'CA', example: '123456782 RC 0001', isValid: isBusinessNumber },
  sin: { country: 'CA', example: '046 454 286', isValid: (text) => hasLuhnDigit(text) && !isRepeated(text) },
  abn: { country: 'AU', example: '51 824 753 556', isValid: isAbn },
  tfn: { country: 'AU', example: '123 456 782', isValid: isTfn },
  cuit: { country: 'AR', example: '20-12345678-6', isValid: isCuit },
};
