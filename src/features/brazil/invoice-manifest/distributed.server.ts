import {
  child,
  firstText,
  parseXml,
  text,
  type XmlElement,
} from '#features/documents/fiscal-xml/xml.server.ts';
import { eventOfCode, type ManifestEvent } from './rules.ts';

/*
 * What the authority gives to a recipient: summaries of invoices (resNFe) and of events (resEvento), and both whole (procNFe,
 * procEventoNFe). Only what the list of invoices needs is read here; whole files are read again by the archive.
 */

/** An invoice that somebody issued. */
export interface DistributedInvoice {
  kind: 'invoice';
  /** Whether it is the whole file, not a summary. */
  isWhole: boolean;
  key: string;
  /** The CNPJ or CPF of the issuer. */
  issuerId: string;
  issuerName: string;
  /** The CNPJ or CPF of the recipient; empty in a summary, which names none. */
  recipientId: string;
  issuedAt: number;
  authorizedAt: number;
  totalCents: number;
  state: 'authorized' | 'denied' | 'cancelled';
}

/** An event about an invoice. */
export interface DistributedEvent {
  kind: 'event';
  isWhole: boolean;
  key: string;
  author: string;
  /** The authority's number of it. */
  type: string;
  /** Undefined for those that are not of the manifest. */
  event: ManifestEvent | undefined;
  cancels: boolean;
  sequence: number;
  protocol: string;
  registeredAt: number;
}

/** Other files are kept, but nothing follows from them here. */
export type Distributed = DistributedInvoice | DistributedEvent | { kind: 'other'; isWhole: boolean };

/** Cancellations, also of an invoice that another one replaces. */
const CANCELLATIONS = ['110111', '110112'];
export const isCancellation = (type: string): boolean => CANCELLATIONS.includes(type);
const REGISTERED = ['135', '136', '155'];
const STATES = { 1: 'authorized', 2: 'denied', 3: 'cancelled' } as const;
/** Of an invoice of model 55. */
const KEY = /^\d{6}[\dA-Z]{12}\d\d55\d{22}$/;

/** Reads a file; undefined for one that is not XML. */
export function readDistributed(bytes: Buffer): Distributed | undefined {
  const root = parseXml(bytes.toString());
  if (typeof root === 'string') return undefined;
  switch (root.name) {
    case 'resNFe':
      return valid(summaryIn(root)) ?? { kind: 'other', isWhole: false };
    case 'nfeProc':
      return valid(invoiceIn(root)) ?? { kind: 'other', isWhole: true };
    case 'resEvento':
      return valid(eventSummaryIn(root)) ?? { kind: 'other', isWhole: false };
    case 'procEventoNFe':
      return valid(eventIn(root)) ?? { kind: 'other', isWhole: true };
    default:
      return { kind: 'other', isWhole: true };
  }
}

/** Undefined for an element that says too little. */
function valid<Content extends DistributedInvoice | DistributedEvent>(
  content: Content | undefined,
): Content | undefined {
  if (!content || !KEY.test(content.key)) return undefined;
  const times =
    content.kind === 'invoice' ? [content.issuedAt, content.authorizedAt] : [content.registeredAt];
  return times.some(Number.isNaN) ? undefined : content;
}

function summaryIn(root: XmlElement): DistributedInvoice | undefined {
  const status = text(root, 'cSitNFe');
  if (status !== '1' && status !== '2' && status !== '3') return undefined;
  return {
    kind: 'invoice',
    isWhole: false,
    key: text(root, 'chNFe'),
    issuerId: firstText(root, 'CNPJ', 'CPF'),
    issuerName: text(root, 'xNome'),
    recipientId: '',
    issuedAt: Date.parse(text(root, 'dhEmi')),
    authorizedAt: Date.parse(text(root, 'dhRecbto')),
    totalCents: centsIn(text(root, 'vNF')),
    state: STATES[status],
  };
}

function invoiceIn(root: XmlElement): DistributedInvoice | undefined {
  const invoice = child(root, 'NFe.infNFe');
  const protocol = child(root, 'protNFe.infProt');
  if (!invoice || !protocol || !['100', '150'].includes(text(protocol, 'cStat'))) return undefined;
  return {
    kind: 'invoice',
    isWhole: true,
    key: text(protocol, 'chNFe'),
    issuerId: firstText(invoice, 'emit.CNPJ', 'emit.CPF'),
    issuerName: text(invoice, 'emit.xNome'),
    recipientId: firstText(invoice, 'dest.CNPJ', 'dest.CPF'),
    issuedAt: Date.parse(text(invoice, 'ide.dhEmi')),
    authorizedAt: Date.parse(text(protocol, 'dhRecbto')),
    totalCents: centsIn(text(invoice, 'total.ICMSTot.vNF')),
    state: 'authorized',
  };
}

const centsIn = (amount: string): number =>
  /^\d{1,13}(?:\.\d+)?$/.test(amount) ? Math.round(Number(amount) * 100) : 0;

const eventSummaryIn = (root: XmlElement): DistributedEvent =>
  eventOf(root, { isWhole: false, protocol: text(root, 'nProt'), at: text(root, 'dhRecbto') });

function eventIn(root: XmlElement): DistributedEvent | undefined {
  const event = child(root, 'evento.infEvento');
  const reply = child(root, 'retEvento.infEvento');
  if (!event || !reply || !REGISTERED.includes(text(reply, 'cStat'))) return undefined;
  return eventOf(event, { isWhole: true, protocol: text(reply, 'nProt'), at: text(reply, 'dhRegEvento') });
}

const eventOf = (
  element: XmlElement,
  { isWhole, protocol, at }: { isWhole: boolean; protocol: string; at: string },
): DistributedEvent => ({
  kind: 'event',
  isWhole,
  key: text(element, 'chNFe'),
  author: firstText(element, 'CNPJ', 'CPF'),
  type: text(element, 'tpEvento'),
  event: eventOfCode(text(element, 'tpEvento')),
  cancels: isCancellation(text(element, 'tpEvento')),
  sequence: Number(text(element, 'nSeqEvento')) || 1,
  protocol: /^\d{15}$/.test(protocol) ? protocol : '',
  registeredAt: Date.parse(at),
});
