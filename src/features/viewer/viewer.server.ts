import { buffer } from 'node:stream/consumers';
import { bytesOf, noteViewed, type DocumentBytes } from '#features/documents/documents.server.ts';
import type { Actor, Session } from '#features/people/people.ts';
import { notFound, PortalError, refusal } from '#platform/errors.server.ts';
import { imageFacts, packDrawing, smallImage } from './images.server.ts';
import { kindOf } from './kinds.ts';
import { delimiterOf, readTable } from './table.server.ts';
import { decodeText } from './text.server.ts';
import { opensViewer, PAGES_AT_ONCE, type ShownPage, type View, type Width } from './viewer.ts';
import { drawPage, fiscalSheet, inTurn, readPdf, type Source } from './worker.server.ts';

/** A PDF or an image is read into memory: none above this many bytes. */
const MOST_BYTES = 64_000_000;
const MOST_TEXT = 256 * 1024;
const MOST_TABLE = 1024 * 1024;
const MOST_ROWS = 1000;
const MOST_XML = 2 * 1024 * 1024;

/**
 * A document as the viewer shows it: pages from `page` on, and where `find` stands in a PDF. It is read now, unless staff look as a
 * contact. NOT_FOUND for one that they may not see, FORBIDDEN where documents are only downloaded, STEP_UP beyond what one may fetch
 * within an hour. What cannot be shown says why.
 */
export async function viewDocument(session: Session, documentId: string, { page, find }: { page: number; find?: string | undefined }): Promise<View> {
  const file = await fileFor(session.actor, documentId);
  await noteViewed(session, file);
  const kind = kindOf(file.name);
  if (kind === undefined) return { kind: 'none', because: 'type' };
  if (file.size === 0) return { kind: 'none', because: 'empty' };
  if (file.size > MOST_BYTES && (kind === 'pdf' || kind === 'image')) return { kind: 'none', because: 'tooLarge' };
  try {
    return await VIEWS[kind](file, { page, find });
  } catch (error) {
    if (refusal(error)?.code === 'TOO_MANY') return { kind: 'none', because: 'busy' };
    throw error;
  }
}

/** A page of a document as an image: its tag, and a function that draws it, which is to read it unless somebody only asks what is there. NOT_FOUND and FORBIDDEN as {@link viewDocument}; drawing answers STEP_UP as it does, and TYPE_NOT_ALLOWED where there is no such page. */
export async function pageImage(session: Session, documentId: string, { page, width, reads }: { page: number; width: Width; reads: boolean }): Promise<{ etag: string; draw: () => Promise<Buffer> }> {
  const file = await fileFor(session.actor, documentId);
  const kind = kindOf(file.name);
  if ((kind !== 'pdf' && kind !== 'image') || file.size > MOST_BYTES) throw new PortalError('TYPE_NOT_ALLOWED');
  const draw = async (): Promise<Buffer> => {
    if (reads) await noteViewed(session, file);
    const image = await (kind === 'pdf' ? pageOfPdf(file, page, width) : inTurn(file.sha256, async () => smallImage(await buffer(file.open()), page, width)));
    if (!image || 'refused' in image) throw new PortalError('TYPE_NOT_ALLOWED');
    return image;
  };
  return { etag: `${file.sha256}-${width}-${page}`, draw };
}

async function fileFor(actor: Actor, documentId: string): Promise<DocumentBytes> {
  if (!opensViewer(actor.access)) throw new PortalError('FORBIDDEN');
  const [file] = await bytesOf(actor, [documentId]);
  if (!file) throw notFound();
  return file;
}

const sourceOf = (file: DocumentBytes): Source => ({ key: file.sha256, bytes: () => file.open() });

async function pageOfPdf(file: DocumentBytes, page: number, width: Width): Promise<Buffer | undefined> {
  const drawing = await drawPage(sourceOf(file), { page, width });
  return 'refused' in drawing ? undefined : packDrawing(drawing);
}

interface Wanted {
  page: number;
  find: string | undefined;
}

const VIEWS = { pdf: viewPdf, image: viewImage, text: viewText, table: viewTable, xml: viewXml } as const;

async function viewPdf(file: DocumentBytes, { page, find }: Wanted): Promise<View> {
  const read = await readPdf(sourceOf(file), { from: page, ...(find !== undefined && { find }) });
  return 'refused' in read ? { kind: 'none', because: read.refused } : { kind: 'pages', isImage: false, count: read.count, pages: read.pages, ...(read.found && { found: read.found }) };
}

async function viewImage(file: DocumentBytes, { page }: Wanted): Promise<View> {
  const facts = await inTurn(file.sha256, async () => imageFacts(await buffer(file.open())));
  if (!facts || 'refused' in facts) return { kind: 'none', because: 'broken' };
  const { count, width, height } = facts;
  const from = Math.min(page, count);
  const pages = Array.from({ length: Math.min(PAGES_AT_ONCE, count - from + 1) }, (_, i): ShownPage => ({ page: from + i, width, height, runs: [], marks: [] }));
  return { kind: 'pages', isImage: true, count, pages };
}

async function viewText(file: DocumentBytes): Promise<View> {
  return { kind: 'text', text: await beginningOf(file, MOST_TEXT), isCut: file.size > MOST_TEXT };
}

async function viewTable(file: DocumentBytes): Promise<View> {
  const text = await beginningOf(file, MOST_TABLE);
  const { rows, isCut } = readTable(text, { delimiter: delimiterOf(text), most: MOST_ROWS });
  return rows.length === 0 ? { kind: 'none', because: 'empty' } : { kind: 'table', rows, isCut: isCut || file.size > MOST_TABLE };
}

async function viewXml(file: DocumentBytes): Promise<View> {
  const sheet = file.size > MOST_XML ? undefined : await fiscalSheet(sourceOf(file));
  return sheet ? { kind: 'fiscal', sheet } : viewText(file);
}

const beginningOf = async (file: DocumentBytes, most: number): Promise<string> => decodeText(await buffer(file.open({ start: 0, end: Math.min(file.size, most) - 1 })));
