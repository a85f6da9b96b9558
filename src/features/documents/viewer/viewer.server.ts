import { buffer } from 'node:stream/consumers';
import { bytesOf, type DocumentBytes } from '#features/documents/documents/bytes.server.ts';
import { noteViewed } from '#features/documents/downloads/fetching.server.ts';
import { MAX_FISCAL_XML } from '#features/documents/fiscal-xml/read.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { notFound, PortalError, refusal } from '#platform/runtime/errors.server.ts';
import type { QueueUser } from '#platform/jobs/fair-queue.server.ts';
import { withImageSlot } from '#platform/storage/image-queue.server.ts';
import { decodeText } from '#platform/tabular/decode-text.server.ts';
import { imageFacts, packDrawing, smallImage } from './images.server.ts';
import { drawnPage, keepDrawn } from './drawn-pages.server.ts';
import { isHeic, kindOf } from './kinds.ts';
import {
  opensViewer,
  PAGES_AT_ONCE,
  type ShownPage,
  type View,
  type ViewRefusal,
  type Width,
  type XmlNotice,
} from './viewer.ts';
import { drawPage, fiscalFile, readDelimited, readPdf, type Refused, type Source } from './worker.server.ts';

/** A PDF or an image is read into memory, so larger files are not shown. */
const MAX_BYTES = 64_000_000;
const MAX_TEXT = 256 * 1024;
const MAX_TABLE = 1024 * 1024;

/**
 * Returns a document for the viewer: pages from `page` on, and the matches of `find` in a PDF. Marks it read,
 * unless staff view as a contact. NOT_FOUND if the actor may not see it, FORBIDDEN if documents can only be
 * downloaded, STEP_UP beyond the hourly download allowance. Documents that cannot be shown have a reason.
 */
export async function viewDocument(
  session: Session,
  documentId: string,
  wanted: { page: number; find?: string | undefined },
): Promise<View> {
  const file = await fileFor(session.actor, documentId);
  const kind = kindOf(file.name);
  await noteViewed(session, file, { isWhole: kind !== undefined && WHOLE_KINDS.has(kind) });
  return viewOf(file, { ...wanted, asker: askerOf(session) });
}

/** Returns a file for the viewer. Callers have checked who may see it, and record that it was viewed. */
export async function viewOf(
  file: DocumentBytes,
  { page, find, asker }: { page: number; find?: string | undefined; asker: QueueUser },
): Promise<View> {
  const kind = kindOf(file.name);
  if (kind === undefined) return { kind: 'none', because: isHeic(file.name) ? 'heic' : 'type' };
  if (file.size === 0) return { kind: 'none', because: 'empty' };
  if (file.size > MAX_BYTES && (kind === 'pdf' || kind === 'image'))
    return { kind: 'none', because: 'tooLarge' };
  try {
    return await VIEWS[kind](file, { page, find, asker });
  } catch (error) {
    if (refusal(error)?.code === 'TOO_MANY') return { kind: 'none', because: 'busy' };
    throw error;
  }
}

/** An image of a page: its ETag, and a function that renders it. */
export interface PageImage {
  etag: string;
  draw: () => Promise<Buffer>;
}

/**
 * Returns a page of a document as an image. Rendering marks the document read, except for HEAD requests. NOT_FOUND and
 * FORBIDDEN as in {@link viewDocument}; rendering throws STEP_UP likewise, UNREADABLE if the file or the page
 * cannot be read (with the `reason` of {@link ViewRefusal}), TOO_HEAVY and TOO_LARGE. TYPE_NOT_ALLOWED for other types.
 */
export async function pageImage(
  session: Session,
  documentId: string,
  { page, width, reads }: { page: number; width: Width; reads: boolean },
): Promise<PageImage> {
  const file = await fileFor(session.actor, documentId);
  const image = pageImageOf(file, { page, width, asker: askerOf(session) });
  const draw = async (): Promise<Buffer> => {
    if (reads) await noteViewed(session, file);
    return image.draw();
  };
  return { ...image, draw };
}

/** Returns a page of a file as an image. Callers have checked who may see it, as for {@link viewOf}. */
export function pageImageOf(
  file: DocumentBytes,
  { page, width, asker }: { page: number; width: Width; asker: QueueUser },
): PageImage {
  const kind = kindOf(file.name);
  if (kind !== 'pdf' && kind !== 'image') throw new PortalError('TYPE_NOT_ALLOWED');
  if (file.size > MAX_BYTES) throw new PortalError('TOO_LARGE');
  const etag = `${file.sha256}-${width}-${page}`;
  const draw = async (): Promise<Buffer> => {
    const cached = drawnPage(etag);
    if (cached) return cached;
    const image = await (kind === 'pdf'
      ? pageOfPdf(file, { page, width, asker })
      : pageOfImage(file, { page, width, asker }));
    if ('refused' in image) throw undrawn(image.refused);
    return keepDrawn(etag, image);
  };
  return { etag, draw };
}

async function fileFor(actor: Actor, documentId: string): Promise<DocumentBytes> {
  if (!opensViewer(actor.access)) throw new PortalError('FORBIDDEN');
  const [file] = await bytesOf(actor, [documentId]);
  if (!file) throw notFound();
  return file;
}

/** The error for a page that cannot be drawn: TOO_HEAVY, TOO_LARGE, or UNREADABLE with the reason. */
export function undrawn(reason: ViewRefusal): PortalError {
  if (reason === 'tooHeavy') return new PortalError('TOO_HEAVY');
  return reason === 'tooLarge' ? new PortalError('TOO_LARGE') : new PortalError('UNREADABLE', { reason });
}

/** The person whose turn in the queue it is: staff who view as a contact wait as themselves. */
const askerOf = ({ actor }: Session): QueueUser => ({
  person: actor.viewedBy ?? actor.contactId,
  firm: actor.companyId,
});

const sourceOf = (file: DocumentBytes, asker: QueueUser, range?: { start: number; end: number }): Source => ({
  key: file.sha256,
  bytes: () => file.open(range),
  asker,
});

interface WantedImage {
  page: number;
  width: Width;
  asker: QueueUser;
}

async function pageOfPdf(
  file: DocumentBytes,
  { page, width, asker }: WantedImage,
): Promise<Buffer | Refused> {
  const drawing = await drawPage(sourceOf(file, asker), { page, width });
  return 'refused' in drawing ? drawing : packDrawing(drawing);
}

const pageOfImage = (file: DocumentBytes, { page, width, asker }: WantedImage): Promise<Buffer | Refused> =>
  withImageSlot(asker, async () => smallImage(await buffer(file.open()), page, width));

interface Wanted {
  page: number;
  find: string | undefined;
  asker: QueueUser;
}

const VIEWS = { pdf: viewPdf, image: viewImage, text: viewText, table: viewTable, xml: viewXml } as const;

/** Types with everything on one page: each view of them costs the portal the same. */
const WHOLE_KINDS: ReadonlySet<keyof typeof VIEWS> = new Set(['text', 'table', 'xml']);

async function viewPdf(file: DocumentBytes, { page, find, asker }: Wanted): Promise<View> {
  const read = await readPdf(sourceOf(file, asker), { from: page, ...(find !== undefined && { find }) });
  if ('refused' in read) return { kind: 'none', because: read.refused };
  const { count, pages, found } = read;
  return { kind: 'pages', isImage: false, count, pages, ...(found && { found }) };
}

async function viewImage(file: DocumentBytes, { page, asker }: Wanted): Promise<View> {
  const facts = await withImageSlot(asker, async () => imageFacts(await buffer(file.open())));
  if ('refused' in facts) return { kind: 'none', because: facts.refused };
  const { count, width, height, isIncomplete } = facts;
  const from = Math.min(page, count);
  const pages = Array.from({ length: Math.min(PAGES_AT_ONCE, count - from + 1) }, (_, i): ShownPage => ({
    page: from + i,
    width,
    height,
    runs: [],
    marks: [],
  }));
  return { kind: 'pages', isImage: true, count, pages, ...(isIncomplete && { isIncomplete }) };
}

async function viewText(file: DocumentBytes): Promise<View> {
  return { kind: 'text', text: await beginningOf(file, MAX_TEXT), isCut: file.size > MAX_TEXT };
}

async function viewTable(file: DocumentBytes, { asker }: Wanted): Promise<View> {
  const table = await readDelimited(
    sourceOf(file, asker, { start: 0, end: Math.min(file.size, MAX_TABLE) - 1 }),
  );
  if ('refused' in table) return { kind: 'none', because: table.refused };
  if (table.rows.length === 0) return { kind: 'none', because: 'empty' };
  const { rows, ...leftOut } = table.leftOut;
  return { kind: 'table', rows: table.rows, leftOut: { ...leftOut, rows: rows || file.size > MAX_TABLE } };
}

async function viewXml(file: DocumentBytes, { asker }: Wanted): Promise<View> {
  if (file.size > MAX_FISCAL_XML) return viewXmlText(file, 'tooLarge');
  const read = await fiscalFile(sourceOf(file, asker));
  if ('refused' in read) return { kind: 'none', because: read.refused };
  if (read.kind === 'fiscal') return { kind: 'fiscal', file: read };
  return viewXmlText(file, read.kind === 'other' ? 'other' : read.because);
}

const viewXmlText = async (file: DocumentBytes, xml: XmlNotice): Promise<View> => ({
  kind: 'text',
  text: await beginningOf(file, MAX_TEXT),
  isCut: file.size > MAX_TEXT,
  xml,
});

const beginningOf = async (file: DocumentBytes, most: number): Promise<string> =>
  decodeText(await buffer(file.open({ start: 0, end: Math.min(file.size, most) - 1 })));
