import type { Keys } from '#platform/text/messages.ts';
import type messages from '../../../../locales/en-us/fiscal-xml.json';

/*
 * Fiscal documents of Brazil as they are shown: what their files say, as text, and what is proven about it. Labels are
 * keys of the translations; readers and pages agree on them by type.
 */

export const FISCAL_TEXTS = 'fiscal-xml';
export type FiscalText = Keys<typeof messages>;

export type ValueType =
  'text' | 'money' | 'price' | 'number' | 'percent' | 'moment' | 'date' | 'taxId' | 'key' | 'choice';

/** A value as in the file; of a `choice` the key of its text. */
export interface Value {
  type: ValueType;
  value: string;
}
export interface Fact extends Value {
  label: FiscalText;
}

/** Rows of a repeated element; columns without a value are left out. */
export interface DataTable {
  title?: FiscalText;
  /** A title in the words of the file. */
  heading?: string;
  columns: readonly FiscalText[];
  rows: readonly (readonly Value[])[];
  /** How many further rows the file has. */
  leftOut: number;
}

export interface Section {
  title: FiscalText;
  facts: readonly Fact[];
  tables: readonly DataTable[];
}

export type Role =
  | 'issuer'
  | 'provider'
  | 'sender'
  | 'dispatcher'
  | 'receiver'
  | 'recipient'
  | 'taker'
  | 'intermediary'
  | 'buyer'
  | 'passenger'
  | 'pickup'
  | 'delivery';

/** A person or company of a document. Numbers are as in the file, without punctuation. */
export interface Party {
  role: Role;
  name: string;
  taxId: string;
  stateId: string;
  address: string;
  /** Whether the party pays for the transport. */
  isTaker: boolean;
  facts: readonly Fact[];
}

/** A tax of an item: its code of taxation, base, rate, reduction and amount; '' for what the file does not name. */
export interface ItemTax {
  name: FiscalText;
  code: string;
  base: string;
  rate: string;
  reduction: string;
  amount: string;
}

export interface Item {
  number: string;
  code: string;
  description: string;
  quantity: string;
  unit: string;
  price: string;
  /** '' if there is none. */
  discount: string;
  total: string;
  facts: readonly Fact[];
  taxes: readonly ItemTax[];
  note: string;
}

/** What the total of a document is made of: all but the last two groups are added. */
export const ADDED = [
  'sumProducts',
  'sumServices',
  'sumSt',
  'sumFcpSt',
  'sumMonophase',
  'sumIpi',
  'sumIpiReturned',
  'sumImport',
  'sumPisSt',
  'sumCofinsSt',
  'sumFreight',
  'sumInsurance',
  'sumOther',
  'sumSurcharge',
] as const satisfies readonly FiscalText[];
export const DEDUCTED = [
  'sumDiscount',
  'sumRelief',
  'sumDiscountOnTotal',
  'sumUnconditionalDiscount',
  'sumWithheld',
] as const satisfies readonly FiscalText[];
/** Taxes that are part of the prices, and other amounts that do not make the total. */
export const INCLUDED = [
  'sumReceivable',
  'sumCargo',
  'sumIcmsBase',
  'sumIcms',
  'sumFcp',
  'sumStBase',
  'sumDestinationIcms',
  'sumDestinationFcp',
  'sumPis',
  'sumCofins',
  'sumIssBase',
  'sumIss',
  'sumReformBase',
  'sumIbs',
  'sumCbs',
  'sumIs',
  'sumTotalWithReform',
  'sumTaxes',
] as const satisfies readonly FiscalText[];

type PartName = (typeof ADDED)[number] | (typeof DEDUCTED)[number];
export interface Totals {
  /** The amounts that make the total, other than 0. */
  parts: readonly { name: PartName; amount: string }[];
  total: string;
  /** By how much the total differs from its parts; '' if it does not, or if the document does not name the parts. */
  difference: string;
  /** Taxes that are in the parts already or not counted, other than 0. */
  included: readonly { name: (typeof INCLUDED)[number] | PartName; amount: string }[];
}

/** The authority's answer in a file. */
export interface Protocol {
  number: string;
  receivedAt: string;
  status: string;
  reason: string;
  key: string;
  digest: string;
}

/**
 * What the signature in a file proves: `valid` that nothing changed since somebody signed with the certificate in it,
 * `reformatted` that only blanks between elements did, `changed` that the data did, `forged` that the signature is not of
 * this certificate.
 */
export type Signature =
  | { state: 'none' }
  | { state: 'unsupported'; digest: string }
  | {
      state: 'valid' | 'reformatted' | 'changed' | 'forged';
      digest: string;
      algorithm: 'sha1' | 'sha256';
      signer: { name: string; taxId: string };
    };

/** One thing that was checked: whether it is proven, wrong, or cannot be known from the file. */
export interface Proof {
  result: 'proven' | 'open' | 'wrong';
  text: FiscalText;
  vars?: Readonly<Record<string, string>>;
  /** Names of the fields that it is about. */
  fields?: readonly FiscalText[];
}

export type DocumentKind =
  | 'NF-e'
  | 'NFC-e'
  | 'CT-e'
  | 'CT-e OS'
  | 'GTV-e'
  | 'MDF-e'
  | 'CF-e'
  | 'NFS-e'
  | 'DPS'
  | 'NFCom'
  | 'NF3-e'
  | 'BP-e';

/** Where a document stands, as far as its file says; `unproven` where no authority answers in files of its kind. */
export type DocumentState =
  'authorized' | 'cancelled' | 'denied' | 'rejected' | 'noProtocol' | 'wrongProtocol' | 'unproven';

/** Every other field of the file, by its path of names. */
export interface OtherFields {
  fields: readonly { path: string; value: string }[];
  leftOut: number;
}

export interface FiscalDocument {
  kind: DocumentKind;
  /** Whether the file is only the authority's summary of the document. */
  isSummary: boolean;
  /** '' for documents of cities. */
  key: string;
  /** Whether the check digit of the key is correct. */
  keyHolds: boolean;
  number: string;
  series: string;
  nature: string;
  /** ISO 8601 with the issuer's own clock, or a date, or ''. */
  issuedAt: string;
  isTest: boolean;
  state: DocumentState;
  /** When the state began; '' if the file does not say. */
  stateAt: string;
  protocol?: Protocol;
  signature: Signature;
  proofs: readonly Proof[];
  facts: readonly Fact[];
  parties: readonly Party[];
  items: readonly Item[];
  itemsLeftOut: number;
  totals: Totals;
  sections: readonly Section[];
  /** The address in the QR code for consumers; '' without one. */
  qrCode: string;
  notes: readonly { title: string; text: string }[];
  events: readonly FiscalEvent[];
  others: OtherFields;
}

/** What happened to a document: cancellation, correction, manifestation and others. */
export interface FiscalEvent {
  kind: 'event';
  /** The authority's number of the type; '' for old cancellations and those of CF-e. */
  type: string;
  name: FiscalText | undefined;
  /** Its name in the file. */
  description: string;
  cancels: boolean;
  key: string;
  keyHolds: boolean;
  sequence: string;
  at: string;
  isTest: boolean;
  /** Whether the authority registered it, as far as the file says. */
  state: 'registered' | 'rejected' | 'noProtocol' | 'unproven';
  registeredAt: string;
  reason: string;
  facts: readonly Fact[];
  tables: readonly DataTable[];
  signature: Signature;
  proofs: readonly Proof[];
  others: OtherFields;
}

/** Numbers of a series that will never be used. */
export interface VoidedNumbers {
  kind: 'void';
  isTest: boolean;
  state: FiscalEvent['state'];
  registeredAt: string;
  issuer: string;
  model: string;
  series: string;
  first: string;
  last: string;
  reason: string;
  facts: readonly Fact[];
  signature: Signature;
  proofs: readonly Proof[];
  others: OtherFields;
}

export type FiscalEntry = FiscalDocument | FiscalEvent | VoidedNumbers;

/** What an XML file has: fiscal entries, other XML about which nothing is claimed, or why it is not read. */
export type FiscalFile =
  | { kind: 'fiscal'; entries: readonly FiscalEntry[]; leftOut: number; isWronglyEncoded: boolean }
  | { kind: 'other' }
  | { kind: 'refused'; because: FiscalRefusal };
export type FiscalRefusal = 'notXml' | 'doctype' | 'tooLarge' | 'tooDeep';

export const isDocument = (entry: FiscalEntry): entry is FiscalDocument =>
  entry.kind !== 'event' && entry.kind !== 'void';
