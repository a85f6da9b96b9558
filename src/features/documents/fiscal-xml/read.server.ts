import {
  isDocument,
  type FiscalDocument,
  type FiscalEntry,
  type FiscalEvent,
  type FiscalFile,
} from './fiscal-xml.ts';
import { readBill } from './internal/bills.server.ts';
import { readCfe } from './internal/cfe.server.ts';
import { readAbrasf, readSaoPaulo } from './internal/city-nfse.server.ts';
import { readCte } from './internal/cte.server.ts';
import { decodeXml } from './internal/decode.server.ts';
import type { ReadingMode } from './internal/documents.server.ts';
import {
  readCfeCancellation,
  readEvent,
  readEventSummary,
  readNfseEvent,
  readOldCancellation,
  readVoid,
} from './internal/events.server.ts';
import { readMdfe } from './internal/mdfe.server.ts';
import { readNfe } from './internal/nfe.server.ts';
import { readDps, readNfse } from './internal/nfse.server.ts';
import { readSummary } from './internal/summaries.server.ts';
import { child, elementsIn, parseXml, type XmlElement } from './xml.server.ts';

/** The size of a file in bytes: a note of 990 items, the most there may be, has one million. */
export const MAX_FISCAL_XML = 4 * 1024 * 1024;
/** Maximum number of shown documents and events of a file. */
const MAX_ENTRIES = 50;

/**
 * Reads an XML file: fiscal documents of Brazil and what happened to them, wherever they are in it. Other XML is `other`;
 * what is not well-formed, declares a document type, or is too large or deep is refused with the reason. `isBrief` leaves
 * out the items of NF-e and the fields that no reader has read: half of the work, for what is stored and not shown.
 */
export function readFiscalXml(bytes: Uint8Array, how: ReadingMode = {}): FiscalFile {
  if (bytes.length > MAX_FISCAL_XML) return { kind: 'refused', because: 'tooLarge' };
  const { text, isWronglyDeclared } = decodeXml(bytes);
  const root = parseXml(text);
  if (typeof root === 'string') return { kind: 'refused', because: root };
  const found = [...readable(root)];
  if (found.length === 0) return { kind: 'other' };
  const entries = withEvents(
    found.slice(0, MAX_ENTRIES).map(({ read, element, inf }) => read(element, inf, how)),
  );
  return {
    kind: 'fiscal',
    entries,
    leftOut: Math.max(0, found.length - MAX_ENTRIES),
    isWronglyEncoded: isWronglyDeclared,
  };
}

type Reader = (element: XmlElement, inf: XmlElement, how: ReadingMode) => FiscalEntry;

/** The readers by the name of an element and of the one in it that has the data; '' for itself. */
const READERS: readonly (readonly [name: RegExp, inf: string, Reader])[] = [
  [/^NFe$/, 'infNFe', readNfe],
  [/^(?:CTe|CTeOS|CTeSimp|GTVe)$/, 'infCte', readCte],
  [/^MDFe$/, 'infMDFe', readMdfe],
  [/^CFe$/, 'infCFe', readCfe],
  [/^CFeCanc$/, 'infCFe', readCfeCancellation],
  [/^NFSe$/, 'infNFSe', readNfse],
  [/^DPS$/, 'infDPS', readDps],
  [/^NFCom$/, 'infNFCom', readBill],
  [/^NF3e$/, 'infNF3e', readBill],
  [/^BPe$/, 'infBPe', readBill],
  [/^Nfse$/, 'InfNfse', readAbrasf],
  [/^NFe$/, 'ChaveNFe', (element) => readSaoPaulo(element, element)],
  [
    /^evento$/,
    'infEvento.pedRegEvento',
    (element) => readNfseEvent(element, child(element, 'infEvento') ?? element),
  ],
  [
    /^evento[A-Z\d]?[A-Za-z\d]*$/,
    'infEvento.tpEvento',
    (element) => readEvent(element, child(element, 'infEvento') ?? element),
  ],
  [/^pedRegEvento$/, 'infPedReg', readNfseEvent],
  [/^canc(?:NFe|CTe|MDFe)$/, 'infCanc', readOldCancellation],
  [/^inut(?:NFe|CTe)$/, 'infInut', readVoid],
  [/^resNFe$/, '', readSummary],
  [/^resEvento$/, '', readEventSummary],
];

interface Readable {
  read: Reader;
  element: XmlElement;
  inf: XmlElement;
}

/** What can be read in an element, in the order of the file; nothing within what is read. */
function* readable(element: XmlElement): Generator<Readable, void> {
  for (const [name, path, read] of READERS) {
    const inf = name.test(element.name) ? (path === '' ? element : child(element, path)) : undefined;
    if (!inf) continue;
    yield { read, element, inf };
    return;
  }
  for (const each of elementsIn(element)) yield* readable(each);
}

/** Puts events to their document where both are in a file, and cancels what a registered one cancels. */
function withEvents(entries: readonly FiscalEntry[]): FiscalEntry[] {
  const events = entries.filter((entry): entry is FiscalEvent => entry.kind === 'event');
  const documents = entries.filter(isDocument);
  const isOf = (event: FiscalEvent, { key }: FiscalDocument): boolean => key !== '' && event.key === key;
  return entries.flatMap((entry): FiscalEntry[] => {
    if (entry.kind === 'event') return documents.some((document) => isOf(entry, document)) ? [] : [entry];
    if (!isDocument(entry)) return [entry];
    const own = events.filter((event) => isOf(event, entry));
    const cancelling = own.find((event) => event.cancels && event.state === 'registered');
    const state = cancelling ? ({ state: 'cancelled', stateAt: cancelling.registeredAt } as const) : {};
    return [{ ...entry, ...state, events: own }];
  });
}
