import { MASKS } from '#platform/inputs/masks.ts';
import { isTaxId, TAX_ID_KINDS, type TaxIdKind } from '#platform/inputs/tax-ids.ts';
import type { Doubt, EvidenceSource } from './evidence.ts';
import { isCounterWord, isDateNumber, normalized, wordsIn, withoutExtension, type Word } from './words.ts';

/** What can be a tax id in a text; `number` is without punctuation. */
export interface TaxIdCandidate {
  kind: TaxIdKind;
  number: string;
  doubt: Doubt | undefined;
  isOfCompany: boolean;
  start: number;
  end: number;
}

/** Kinds without check digits, or of which some have none: any number of their length can be one. */
const UNCHECKED: ReadonlySet<TaxIdKind> = new Set(['ein', 'ssn', 'tfn', 'nino']);
/** Kinds of companies. Those of persons can be an employee's. */
const OF_COMPANIES: ReadonlySet<TaxIdKind> = new Set(['cnpj', 'ein', 'bn', 'abn']);

/** Where the punctuation of a kind is, as numbers of characters before it, with the whole length last. */
const FORMS = TAX_ID_KINDS.flatMap((kind) =>
  MASKS[kind].map((mask) => {
    const groups = mask.split(/[^\w*]+/).map((group) => group.length);
    const ends = groups.map((_, index) =>
      groups.slice(0, index + 1).reduce((sum, length) => sum + length, 0),
    );
    return { kind, ends: new Set(ends), length: ends.at(-1) ?? 0 };
  }),
);

const MIN_LENGTH = 8;
/** Characters between two parts of a tax id. */
const MAX_GAP = 3;

/**
 * Finds what can be a tax id: as one word, or in parts where its punctuation is. In a PDF, numbers of kinds without
 * check digits need their punctuation; in the name of a file, one whose leading zeros are missing is found, too.
 */
export function taxIdsIn(raw: string, source: EvidenceSource): TaxIdCandidate[] {
  const words = wordsIn(normalized(source === 'fileName' ? withoutExtension(raw) : raw));
  return words.flatMap((first, at) => {
    if (!/\d/.test(first.text) && first.text.length > 2) return [];
    const found = FORMS.flatMap((form) => candidate(words, at, form, source));
    return source === 'fileName' && found.length === 0 ? withLeadingZeros(first) : found;
  });
}

function candidate(
  words: readonly Word[],
  at: number,
  { kind, ends, length }: (typeof FORMS)[number],
  source: EvidenceSource,
): TaxIdCandidate[] {
  const [first, parts] = [words[at], partsOf(words, at, { ends, length })];
  const last = parts.at(-1);
  if (!first || !last) return [];
  const number = parts.map(({ text }) => text.toUpperCase()).join('');
  if (!/\d{2}/.test(number) || !isTaxId(kind, number)) return [];
  const isUnchecked = UNCHECKED.has(kind) && parts.length === 1;
  if (isUnchecked && source === 'pdf') return [];
  const doubt = isUnchecked ? doubtOf(number, words[at - 1]?.text ?? '') : undefined;
  const ofCompany = isOfCompany(kind, number) && !isUnchecked;
  return [{ kind, number, doubt, isOfCompany: ofCompany, start: first.start, end: last.end }];
}

/** The words from one on that together have the length of a tax id, parted where it is; empty if there are none. */
function partsOf(
  words: readonly Word[],
  at: number,
  { ends, length }: { ends: ReadonlySet<number>; length: number },
): Word[] {
  const parts: Word[] = [];
  let size = 0;
  for (let next = at; size < length; next += 1) {
    const [word, before] = [words[next], parts.at(-1)];
    if (!word || (before && word.start - before.end > MAX_GAP)) return [];
    size += word.text.length;
    if (!ends.has(size)) return [];
    parts.push(word);
  }
  return parts;
}

const doubtOf = (number: string, before: string): Doubt | undefined =>
  isDateNumber(number) ? 'DATE' : isCounterWord(before) ? 'COUNTER' : undefined;

const isOfCompany = (kind: TaxIdKind, number: string): boolean =>
  OF_COMPANIES.has(kind) || (kind === 'cuit' && number.startsWith('3'));

/** Spreadsheets remove the leading zeros of these. */
const PADDED = [
  { kind: 'cnpj', length: 14, min: 12 },
  { kind: 'cpf', length: 11, min: MIN_LENGTH },
] as const;

const withLeadingZeros = ({ text, start, end }: Word): TaxIdCandidate[] =>
  PADDED.flatMap(({ kind, length, min }) => {
    const number = text.padStart(length, '0');
    const isCut = /^\d+$/.test(text) && text.length >= min && text.length < length;
    return isCut && isTaxId(kind, number)
      ? [{ kind, number, doubt: 'LEADING_ZERO', isOfCompany: isOfCompany(kind, number), start, end }]
      : [];
  });
