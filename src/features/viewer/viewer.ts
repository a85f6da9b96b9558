import type { Access } from '#features/people/people.ts';

/**
 * The widths in pixels in which a page is drawn: a phone with two and with three pixels to the point, and a
 * large screen.
 */
export const WIDTHS = [700, 1000, 1700] as const;
export type Width = (typeof WIDTHS)[number];

/** So many pages are shown at once; links lead to the others. */
export const PAGES_AT_ONCE = 10;

export const ZOOMS = ['fit', '100', '150', '200'] as const;
export type Zoom = (typeof ZOOMS)[number];

/** A place on a page, in points from its left upper corner. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Words that stand together on a line, and where. */
export interface TextRun extends Box {
  text: string;
}

/**
 * A page as it is shown: its size in points (1/72 inch), its text, and the places where the searched words
 * stand.
 */
export interface ShownPage {
  page: number;
  width: number;
  height: number;
  runs: TextRun[];
  marks: Box[];
}

/**
 * What a search found: how often on which page. `isCut` where it ended before the last page, for there are
 * more hits or the time was up.
 */
export interface Found {
  words: string;
  total: number;
  pages: { page: number; hits: number }[];
  isCut: boolean;
}

/** Somebody on a fiscal document. Numbers as they stand in the file, without marks. */
export interface Party {
  name: string;
  taxId: string;
  stateId: string;
  address: string;
}

/**
 * A fiscal document of Brazil as a sheet. Amounts are decimal numbers as the file writes them; `issuedAt` is
 * ISO 8601 or ''.
 */
export interface FiscalSheet {
  kind: 'NF-e' | 'NFC-e' | 'CT-e' | 'CF-e';
  key: string;
  /** Whether the key's last digit is the one that the others give. */
  keyHolds: boolean;
  number: string;
  series: string;
  nature: string;
  issuedAt: string;
  isTest: boolean;
  /** The authority's number and answer; absent in a file that it never saw, which proves nothing. */
  protocol?: { number: string; receivedAt: string; status: string; reason: string };
  parties: { role: 'issuer' | 'sender' | 'recipient'; party: Party }[];
  items: {
    code: string;
    description: string;
    quantity: string;
    unit: string;
    price: string;
    total: string;
  }[];
  totals: { name: 'products' | 'freight' | 'discount' | 'icms' | 'total'; amount: string }[];
  notes: string;
}

/** Why a document is not shown here. */
export type WhyNot = 'type' | 'locked' | 'broken' | 'tooLarge' | 'tooHeavy' | 'busy' | 'empty';

/** Delimited text as a table, and what of it is left out. */
export interface Table {
  rows: string[][];
  leftOut: { rows: boolean; columns: boolean; text: boolean };
}

/** A document as the viewer shows it. */
export type View =
  | { kind: 'pages'; count: number; pages: ShownPage[]; isImage: boolean; found?: Found }
  | { kind: 'text'; text: string; isCut: boolean }
  | ({ kind: 'table' } & Table)
  | { kind: 'fiscal'; sheet: FiscalSheet }
  | { kind: 'none'; because: WhyNot };

/**
 * Whether documents open in the viewer; with the control Revert2OldPreview they are downloaded as before
 * (spec 1 section 6).
 */
export const opensViewer = ({ controls }: Access): boolean => !controls.has('Revert2OldPreview');

/**
 * Whether a page with the facts of a document stands before it, by the permission ShowPreviewB4CCViewer (spec
 * 1 section 6).
 */
export const asksFirst = ({ permissions }: Access): boolean => permissions.has('ShowPreviewB4CCViewer');
