/*
 * What the numbers of the authority's answers mean for whoever asked (Manual de Orientação do Contribuinte; NT 2014.002 for the
 * distribution, NT 2020.001 for the manifest).
 */

export type Meaning =
  | 'registered' // also if it is not linked with the invoice yet
  | 'duplicate' // maybe by what was sent before
  | 'closed' // the invoice was cancelled or denied
  | 'final' // what was said is refused: it has to be changed
  | 'certificate'
  | 'layout' // what we sent is not as the authority wants it: our mistake
  | 'misuse' // asked too often
  | 'down'
  | 'nothing'
  | 'documents'
  | 'tooHigh' // a number behind all that there is
  | 'other';

const between = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => String(from + i));

const CODES: readonly (readonly [Meaning, readonly string[]])[] = [
  ['registered', ['135', '136', '155']],
  ['duplicate', ['573']],
  ['closed', ['650', '651']],
  ['final', ['217', '494', '575', '577', '578', '579', '594', '595', '596', '655']],
  ['certificate', [...between(280, 286), ...between(290, 298), '593']],
  ['layout', ['215', '225', '243', '404', '491', '492', '493', '516', '587', '588']],
  ['misuse', ['656']],
  ['down', ['108', '109']],
  ['nothing', ['137']],
  ['documents', ['138']],
  ['tooHigh', ['589']],
];

const meanings = new Map(CODES.flatMap(([meaning, codes]) => codes.map((code) => [code, meaning] as const)));

export const meaningOf = (code: string): Meaning => meanings.get(code) ?? 'other';

/** The request was taken, and each event in it has an answer of its own. */
export const LOT_PROCESSED = '128';
