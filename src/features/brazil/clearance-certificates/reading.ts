import { taxIdsIn } from '#features/documents/publishing/tax-ids-in-text.ts';
import type { National } from './agencies.ts';
import type { Result } from './lights.ts';

/*
 * What the text of a certificate says. The three agencies of the Union print it in the same words for everybody; of states
 * and cities the dates and the number are found where they are labelled in the usual words.
 */

export interface CertificateFacts {
  /** The agency of the Union that issued it; undefined for others. */
  agency: National | undefined;
  /** The CNPJs in it, without punctuation, in their order. */
  cnpjs: readonly string[];
  /** The CPFs in it, likewise. */
  cpfs: readonly string[];
  result: Result | undefined;
  number: string;
  controlCode: string;
  /** Days, ISO 8601; empty where none is found. */
  issuedOn: string;
  validUntil: string;
}

/** Reads the text of a certificate. What is not found is empty. */
export function readCertificate(raw: string): CertificateFacts {
  const text = plain(raw);
  const agency = agencyIn(text);
  const range = RANGE.exec(text);
  const taxIds = taxIdsIn(raw, 'pdf');
  const numbersOf = (kind: 'cnpj' | 'cpf'): string[] => [
    ...new Set(taxIds.filter((each) => each.kind === kind).map(({ number }) => number)),
  ];
  return {
    agency,
    cnpjs: numbersOf('cnpj'),
    cpfs: numbersOf('cpf'),
    result: agency === 'fgts' ? 'negative' : resultIn(text),
    number: first(text, NUMBERS),
    controlCode: (CONTROL_CODE.exec(text)?.[1] ?? '').toUpperCase(),
    issuedOn: isoDay(range?.[1] ?? first(text, ISSUED)),
    validUntil: isoDay(range?.[2] ?? first(text, VALID_UNTIL)),
  };
}

/** Without case, accents and line breaks: `º` is `o`. */
const plain = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll(/\s+/g, ' ');

function agencyIn(text: string): National | undefined {
  if (text.includes('certificado de regularidade do fgts')) return 'fgts';
  if (text.includes('debitos trabalhistas')) return 'labor';
  return /tributos federais e a divida ativa da uniao/.test(text) ? 'federal' : undefined;
}

/** The title decides: later sentences name the other kinds, too. */
function resultIn(text: string): Result | undefined {
  const title = /certidao (?:conjunta )?(?:de debitos )?(positiva|negativa)(.{0,140})/.exec(text);
  if (!title) return undefined;
  if (title[1] === 'negativa') return 'negative';
  return /com efeitos? de (?:certidao )?negativa/.test(title[2] ?? '') ? 'positiveWithEffect' : 'positive';
}

const DAY = String.raw`(\d{2}/\d{2}/\d{4})`;
const RANGE = new RegExp(`validade:? ?${DAY} a ${DAY}`);
const VALID_UNTIL = [
  new RegExp(`valid[ao] ate:? (?:o dia )?${DAY}`),
  new RegExp(`validade:? ?(?:ate:? )?(?:o dia )?${DAY}`),
  new RegExp(`data de validade:? ?${DAY}`),
];
const ISSUED = [
  new RegExp(`emitid[ao] (?:as [\\d:]+ )?(?:do dia|em:?|no dia) ?${DAY}`),
  new RegExp(`expedicao:? ?${DAY}`),
  new RegExp(`(?:data|data e hora) (?:d[ae] )?emissao:? ?${DAY}`),
  new RegExp(`emissao:? ?${DAY}`),
];
const NUMBERS = [/certificacao numero:? ?(\d{6,30})/, /certidao (?:no|numero)\.?:? ?(\d[\d./-]{2,38})/];
const CONTROL_CODE = /codigo de controle(?: da certidao)?:? ?([\da-f]{4}(?:\.[\da-f]{4}){3})/;

const first = (text: string, patterns: readonly RegExp[]): string =>
  patterns.map((pattern) => pattern.exec(text)?.[1]).find((found) => found !== undefined) ?? '';

/** A day that exists, of `31/12/2026`; empty for `31/02/2026`. */
function isoDay(text: string): string {
  const [day = '', month = '', year = ''] = text.split('/');
  const iso = `${year}-${month}-${day}`;
  const time = Date.parse(`${iso}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(iso) ? iso : '';
}
