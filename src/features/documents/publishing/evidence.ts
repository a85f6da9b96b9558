import { z } from 'zod';

/*
 * What says for which client a file is: a piece of evidence is found in the file's name, in the text of the PDF or in a
 * list, and names the clients that it may mean.
 */

/**
 * Why a piece of evidence is not certain by itself.
 * `SHORT`: a number of fewer than four characters.
 * `DATE`: a number that can be a year, a month, a day or a whole date.
 * `FORM`: the number of an official form.
 * `COUNTER`: a copy, an instalment, a page, a version, an invoice or an amount.
 * `ONE_WORD`: a name that is one word.
 * `COMMON_WORDS`: a name of words that many files have.
 * `LEGAL_FORM`: the legal form is another one, such as Ltda for ME.
 * `LEADING_ZERO`: a tax id whose leading zeros are missing.
 * `MERGED`: the client was merged into the one that the evidence now names.
 * `OTHER_TAX_ID`: a tax id of no client, while the client that all else names has another one of this kind.
 */
const doubt = z.enum([
  'SHORT',
  'DATE',
  'FORM',
  'COUNTER',
  'ONE_WORD',
  'COMMON_WORDS',
  'LEGAL_FORM',
  'LEADING_ZERO',
  'MERGED',
  'OTHER_TAX_ID',
]);
export type Doubt = z.infer<typeof doubt>;

export const evidenceList = z.array(
  z.object({
    kind: z.enum(['taxId', 'number', 'name', 'tradeName']),
    source: z.enum(['fileName', 'pdf', 'list']),
    clientIds: z.array(z.string()).readonly(),
    doubt: doubt.optional(),
    /** A tax id of a company rather than of a person, who may be an employee. */
    isOfCompany: z.literal(true).optional(),
  }),
);
export type Evidence = z.infer<typeof evidenceList>[number];
export type EvidenceKind = Evidence['kind'];
export type EvidenceSource = Evidence['source'];

/** The client of a file, or why a person must choose one. */
export type Outcome =
  | { kind: 'sure'; clientId: string }
  /** All evidence names this client, but none of it is certain. */
  | { kind: 'check'; clientId: string }
  | { kind: 'several' }
  | { kind: 'none' };

/**
 * Decides for which client a file is. All evidence must name the same one; what contradicts itself is never decided.
 * Certain are a tax id, a full name and an unmistakable number in the name of the file, a line of a list, the tax id of
 * a company in the PDF, and a name in the PDF that agrees with what the file's name says.
 */
export function decide(evidence: readonly Evidence[]): Outcome {
  const [first, ...others] = evidence;
  if (!first) return { kind: 'none' };
  const agreed = first.clientIds.filter((id) => others.every(({ clientIds }) => clientIds.includes(id)));
  const [clientId] = agreed;
  if (clientId === undefined || agreed.length > 1) return { kind: 'several' };
  return { kind: isCertain(evidence) ? 'sure' : 'check', clientId };
}

function isCertain(evidence: readonly Evidence[]): boolean {
  if (evidence.some(({ doubt }) => doubt === 'MERGED')) return false;
  const strong = evidence.filter(({ doubt }) => doubt === undefined);
  if (strong.some(({ source }) => source !== 'pdf')) return true;
  const isAlsoInName = evidence.some(({ source }) => source === 'fileName');
  return strong.some(({ isOfCompany }) => isOfCompany === true || isAlsoInName);
}

/**
 * Leaves out names of one word in a PDF whose text names somebody certainly: they are words of the text, too. Where it
 * names nobody else, a common word is no evidence either.
 */
export function withoutChance(evidence: readonly Evidence[]): Evidence[] {
  const isNamed = evidence.some(({ source, doubt }) => source === 'pdf' && doubt === undefined);
  return evidence.filter(
    ({ source, doubt }) =>
      source !== 'pdf' || (doubt !== 'COMMON_WORDS' && (doubt !== 'ONE_WORD' || !isNamed)),
  );
}

const MIN_UNUSUAL = 4;

/** The clients that get far more files than the others of a batch, by the numbers of their files. */
export function unusualCounts(counts: ReadonlyMap<string, number>): string[] {
  const sorted = [...counts.values()].toSorted((a, b) => a - b);
  if (sorted.length < 2) return [];
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  return [...counts].flatMap(([id, count]) => (count >= MIN_UNUSUAL && count > 2 * median ? [id] : []));
}
