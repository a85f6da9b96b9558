import {
  isDocument,
  type FiscalDocument,
  type FiscalEntry,
  type FiscalEvent,
  type VoidedNumbers,
} from '#features/documents/fiscal-xml/fiscal-xml.ts';
import { parseKey } from '#features/documents/fiscal-xml/keys.ts';
import { PROBLEMS, type ClientRole, type State, type Storage } from '../fiscal-documents.ts';

/* What is stored of what a file contains, without its owner. */

const STORAGE_OF: Partial<Record<FiscalDocument['kind'], Storage>> = {
  'NF-e': 'nfe',
  'NFC-e': 'nfce',
  'CT-e': 'cte',
  'CT-e OS': 'cte',
  'GTV-e': 'cte',
  'CF-e': 'cfe',
};

export const storageOfKind = (kind: FiscalDocument['kind']): Storage => STORAGE_OF[kind] ?? 'xml';

/** The documents and events of a file; a summary of the authority is none of them. */
export function recordsIn(entries: readonly FiscalEntry[]): {
  documents: FiscalDocument[];
  events: FiscalEvent[];
  voids: VoidedNumbers[];
} {
  const documents = entries.filter(isDocument);
  return {
    documents: documents.filter(({ isSummary }) => !isSummary),
    events: [
      ...documents.flatMap(({ events }) => events),
      ...entries.filter((entry) => entry.kind === 'event'),
    ],
    voids: entries.filter((entry) => entry.kind === 'void'),
  };
}

/** An id of a taxpayer in a document, and the part that whoever has it plays. */
export interface Participant {
  taxId: string;
  name: string;
  role: ClientRole;
}

const ROLE_ORDER: readonly ClientRole[] = [
  'issuer',
  'provider',
  'recipient',
  'taker',
  'sender',
  'receiver',
  'dispatcher',
  'buyer',
  'intermediary',
  'carrier',
  'other',
];

/** Everybody with a tax id in a document, who plays the most important part first. */
export function participantsIn(document: FiscalDocument): Participant[] {
  const parties = document.parties.map(({ role, name, taxId }): Participant => ({
    taxId,
    name,
    role: ROLE_ORDER.find((known) => known === role) ?? 'other',
  }));
  const others = document.sections.flatMap(({ title, facts, tables }) => {
    const role = title === 'transport' ? 'carrier' : 'other';
    const values = [...facts, ...tables.flatMap(({ rows }) => rows.flat())];
    return values.flatMap(({ type, value }): Participant[] =>
      type === 'taxId' ? [{ taxId: value, name: '', role }] : [],
    );
  });
  return [...parties, ...others]
    .filter(({ taxId }) => taxId !== '')
    .toSorted((a, b) => ROLE_ORDER.indexOf(a.role) - ROLE_ORDER.indexOf(b.role));
}

/** The tax ids that an event names: its author's, and the issuer's in the key. */
export function taxIdsOfEvent({ key, facts }: FiscalEvent): string[] {
  const issuer = parseKey(key)?.issuer;
  const author = facts.find(({ label }) => label === 'author')?.value ?? '';
  return [author, issuer ?? ''].filter(Boolean);
}

/** The issuer of a document: the one who makes it. */
export const issuerOf = (participants: readonly Participant[]): Participant | undefined =>
  participants.find(({ role }) => role === 'issuer' || role === 'provider');

/** Out for who issued it, unless it is the issuer's own note about what came in. */
export function directionFor(document: FiscalDocument, role: ClientRole): 'in' | 'out' {
  const isEntry = document.facts.some(({ label, value }) => label === 'operation' && value === 'operationIn');
  return (role === 'issuer' || role === 'provider') && !isEntry ? 'out' : 'in';
}

/** The other side of a document, from where the client stands. */
export function counterpart(participants: readonly Participant[], role: ClientRole): Participant | undefined {
  const issuer = issuerOf(participants);
  if (role !== 'issuer' && role !== 'provider') return issuer;
  return participants.find((each) => each.role !== 'issuer' && each.role !== 'provider' && each.name !== '');
}

/** An amount of a document, `1234.56`, in cents; 0 for what is none. */
export function centsOf(amount: string): number {
  const cents = Math.round(Number(amount) * 100);
  return Number.isSafeInteger(cents) ? cents : 0;
}

export const taxOf = ({ totals }: FiscalDocument, name: 'sumIcms' | 'sumIbs' | 'sumCbs'): number =>
  centsOf(totals.included.find((each) => each.name === name)?.amount ?? '0');

/** A moment as documents write it; null for what is none. */
export function momentOf(text: string): number | null {
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}

/** When a document was issued, and in which month by the issuer's clock. */
export function issuedIn(document: FiscalDocument, otherwise: number): { at: number; month: string } {
  const at = momentOf(document.issuedAt);
  const written = /^(\d{4}-(?:0[1-9]|1[0-2]))-/.exec(document.issuedAt)?.[1];
  if (at !== null && written !== undefined) return { at, month: written };
  const inKey = /^(\d\d)(0[1-9]|1[0-2])$/.exec(parseKey(document.key)?.month ?? '');
  const month = inKey ? `20${inKey[1]}-${inKey[2]}` : new Date(otherwise).toISOString().slice(0, 7);
  return { at: at ?? Date.parse(`${month}-01T12:00:00Z`), month };
}

/** How much the files of a state prove. */
const STATE_RANKS: Readonly<Record<State, number>> = {
  authorized: 6,
  cancelled: 6,
  denied: 5,
  unproven: 4,
  rejected: 3,
  noProtocol: 2,
  wrongProtocol: 1,
};

/** Ranks a copy by what it proves: the protocol first, then the signature. */
export function rankOf(state: State, signature: FiscalDocument['signature']): number {
  const isSigned = signature.state === 'valid' || signature.state === 'reformatted';
  return STATE_RANKS[state] * 2 + (isSigned ? 1 : 0);
}

/** What a file alone says of its document: without the events that it contains, which count for all copies. */
export function ownStateOf(document: FiscalDocument): { state: State; at: number | null } {
  const { state, stateAt, protocol, events } = document;
  const isByEvent = events.some((event) => event.cancels && event.state === 'registered');
  if (state !== 'cancelled' || !isByEvent || !protocol) return { state, at: momentOf(stateAt) };
  const isWrong = document.proofs.some(({ result }) => result === 'wrong');
  return { state: isWrong ? 'unproven' : 'authorized', at: momentOf(protocol.receivedAt) };
}

export const problemsOf = ({ proofs }: FiscalDocument): number =>
  proofs.some(({ result }) => result === 'wrong') ? PROBLEMS.wrongProof : 0;

/** Whether an event cancels its document for certain: registered, or signed by the device that issued it. */
export function cancelsForSure(event: FiscalEvent): boolean {
  if (!event.cancels || event.proofs.some(({ result }) => result === 'wrong')) return false;
  const isOfDevice = event.key.slice(20, 22) === '59' && event.signature.state === 'valid';
  return event.state === 'registered' || isOfDevice;
}
