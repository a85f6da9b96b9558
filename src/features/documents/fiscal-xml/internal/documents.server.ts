import type { FiscalDocument, Proof, Protocol } from '../fiscal-xml.ts';
import { keyHolds } from '../keys.ts';
import { othersIn } from './fields.server.ts';
import {
  AUTHORITY_NOT_ASKED,
  keyProofs,
  protocolProofs,
  signatureProofs,
  type KeyContent,
} from './proofs.server.ts';
import { signatureOf } from './signature.server.ts';
import {
  attribute,
  child,
  children,
  elementsIn,
  firstText,
  text,
  textByName,
  type XmlElement,
} from '../xml.server.ts';

/** A document before what is known about all kinds is added: its own fields, as its reader reads them. */
export type Read = Pick<
  FiscalDocument,
  | 'kind'
  | 'number'
  | 'series'
  | 'nature'
  | 'issuedAt'
  | 'isTest'
  | 'facts'
  | 'parties'
  | 'items'
  | 'itemsLeftOut'
  | 'totals'
  | 'sections'
  | 'qrCode'
  | 'notes'
>;

/** Maximum number of shown items. */
export const MAX_ITEMS = 1000;

/** How much of a document is read. */
export interface ReadingMode {
  /** Without its items and what no reader has read. */
  isBrief?: boolean;
}

const NO_OTHERS: FiscalDocument['others'] = { fields: [], leftOut: 0 };

/** Makes a document of what its reader has read: its key, protocol, signature, and what they prove. */
export function documentOf(
  inf: XmlElement,
  read: Read,
  { protocol, content, isBrief }: { protocol: Protocol | undefined; content: KeyContent } & ReadingMode,
): FiscalDocument {
  const key = keyOf(inf);
  const signature = signatureOf(inf);
  const answer = protocolProofs(protocol, { key, signed: inf, signature });
  const proofs = [
    ...keyProofs(key, content),
    ...answer.proofs,
    ...signatureProofs(signature, content.issuer ?? ''),
  ];
  const isWrong = proofs.some(({ result }) => result === 'wrong');
  return {
    ...read,
    isSummary: false,
    key,
    keyHolds: keyHolds(key),
    // an answer about content that was changed says nothing about it
    state: isWrong && answer.state === 'authorized' ? 'unproven' : answer.state,
    stateAt: protocol?.receivedAt ?? '',
    ...(protocol && { protocol }),
    signature,
    proofs: inOrder([...proofs, AUTHORITY_NOT_ASKED]),
    events: [],
    others: isBrief === true ? NO_OTHERS : othersIn(inf),
  };
}

const ORDER: readonly Proof['result'][] = ['wrong', 'proven', 'open'];
/** What is wrong first, then what is proven. */
export const inOrder = (proofs: readonly Proof[]): Proof[] =>
  ORDER.flatMap((result) => proofs.filter((proof) => proof.result === result));

/** The key in the Id of an element, after letters. */
export const keyOf = (inf: XmlElement): string => attribute(inf, 'Id').replace(/^[A-Za-z]{2,6}(?=\d)/, '');

/** The parts of a key that most layouts repeat, by the name of the number and of the code. */
export const keyContentOf = (inf: XmlElement, number: string, code: string): KeyContent => ({
  state: text(inf, 'ide.cUF'),
  month: firstText(inf, 'ide.dhEmi', 'ide.dEmi').replace(/^\d\d(\d\d)-(\d\d).*$/, '$1$2'),
  issuer: firstText(inf, 'emit.CNPJ', 'emit.CPF'),
  model: text(inf, 'ide.mod'),
  series: text(inf, 'ide.serie'),
  number: text(inf, `ide.${number}`),
  emission: text(inf, 'ide.tpEmis'),
  code: text(inf, `ide.${code}`),
  digit: text(inf, 'ide.cDV'),
});

/**
 * The authority's answer about a document: in the wrapper around it, or beside one in a batch. One of another key counts
 * only where there is no other, so that a swapped one is noticed.
 */
export function protocolFor(document: XmlElement, inf: XmlElement): Protocol | undefined {
  const answers: XmlElement[] = [];
  for (let at = document.parent; at; at = at.parent)
    answers.push(
      ...elementsIn(at)
        .filter(({ name }) => /^prot[A-Z]/.test(name))
        .map((each) => child(each, 'infProt'))
        .filter((each) => each !== undefined),
    );
  const protocols = answers.map(protocolOf);
  const key = keyOf(inf);
  const isOnly = !document.parent || children(document.parent, document.name).length === 1;
  return protocols.find((each) => each.key === key) ?? (isOnly ? protocols[0] : undefined);
}

const protocolOf = (inf: XmlElement): Protocol => ({
  number: text(inf, 'nProt'),
  receivedAt: text(inf, 'dhRecbto'),
  status: text(inf, 'cStat'),
  reason: text(inf, 'xMotivo'),
  key: textByName(inf, /^ch[A-Z]/),
  digest: text(inf, 'digVal'),
});

export const isTestOf = (inf: XmlElement): boolean => text(inf, 'ide.tpAmb') === '2';

/** A number without leading zeros. */
export const plainNumber = (number: string): string => number.replace(/^0+(?=\d)/, '');
