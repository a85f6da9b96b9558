import type { FiscalFile, FiscalRefusal } from '#features/documents/fiscal-xml/fiscal-xml.ts';
import type { Access } from '#features/base/people/people.ts';

/**
 * The widths in pixels of page images: for a phone with two and with three pixels per point, and for a large
 * screen.
 */
export const WIDTHS = [700, 1000, 1700] as const;
/** The width of the blurred preview of a photo or scan, which is there before its page. */
export const PREVIEW_WIDTH = 160;
export const IMAGE_WIDTHS = [PREVIEW_WIDTH, ...WIDTHS] as const;
export type Width = (typeof IMAGE_WIDTHS)[number];

/** Pages shown at once; links lead to the others. */
export const PAGES_AT_ONCE = 10;

export const ZOOMS = ['fit', '50', '75', '100', '125', '150', '200'] as const;
export type Zoom = (typeof ZOOMS)[number];

/** The next smaller and larger size than this percentage. */
export const zoomSteps = (percent: number): { smaller: Zoom | undefined; larger: Zoom | undefined } => ({
  smaller: ZOOMS.findLast((zoom) => Number(zoom) < percent),
  larger: ZOOMS.find((zoom) => Number(zoom) > percent),
});

/** A rectangle on a page, in points from its upper left corner. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Words on the same line, with their position, and by how many quarters clockwise they are turned, if at all. */
export interface TextRun extends Box {
  text: string;
  quarters?: 1 | 2 | 3;
}

/** A page in the viewer: its size in points (1/72 inch), its text, and the positions of search matches. */
export interface ShownPage {
  page: number;
  width: number;
  height: number;
  runs: TextRun[];
  marks: Box[];
  /** Whether letters of its text could not be drawn. */
  lacksLetters?: boolean;
}

/**
 * The results of a search: the number of matches by page. `isCut` if it ended before the last page, because
 * of too many matches or a timeout.
 */
export interface Found {
  words: string;
  total: number;
  pages: { page: number; hits: number }[];
  isCut: boolean;
}

/** The reason why a document is not shown. */
export type ViewRefusal =
  'type' | 'heic' | 'infected' | 'locked' | 'xfa' | 'broken' | 'tooLarge' | 'tooHeavy' | 'busy' | 'empty';

/** Why an XML file is shown as text: it is no fiscal document, or is not read. */
export type XmlNotice = 'other' | FiscalRefusal;

/** Delimited text as a table, and what is omitted. */
export interface Table {
  rows: string[][];
  leftOut: { rows: boolean; columns: boolean; text: boolean };
}

/** A document as the viewer shows it. */
export type View =
  | {
      kind: 'pages';
      count: number;
      pages: ShownPage[];
      isImage: boolean;
      /** Whether the end of an image is missing. */
      isIncomplete?: boolean;
      found?: Found;
    }
  | { kind: 'text'; text: string; isCut: boolean; xml?: XmlNotice }
  | ({ kind: 'table' } & Table)
  | { kind: 'fiscal'; file: FiscalFile & { kind: 'fiscal' } }
  | { kind: 'none'; because: ViewRefusal };

/**
 * Tells whether documents open in the viewer; with the control Revert2OldPreview they are downloaded (spec 1
 * section 6).
 */
export const opensViewer = ({ controls }: Access): boolean => !controls.has('Revert2OldPreview');

/**
 * Tells whether a details page comes before the viewer, by the permission ShowPreviewB4CCViewer (spec 1
 * section 6).
 */
export const asksFirst = ({ permissions }: Access): boolean => permissions.has('ShowPreviewB4CCViewer');
