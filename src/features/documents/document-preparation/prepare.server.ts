import { createHash } from 'node:crypto';
import { PDF, type PDFPage } from '@libpdf/core';
import type { ForeignSignature, PageDifference } from './preparation.ts';
import { assertStatic, removeActiveContent } from './internal/active-content.server.ts';
import type { PixelBox } from './page-pictures.server.ts';
import { flattenAnnotations, pagesWithUndrawn } from './internal/flatten-annotations.server.ts';
import { foreignSignatures } from './internal/foreign-signatures.server.ts';
import {
  drawFormValues,
  lostValues,
  pixelBox,
  type FormValue,
  type Views,
} from './internal/form-values.server.ts';
import { differencesBetween, namesOnPages } from './comparing.server.ts';
import { shownBox } from './page-box.server.ts';
import { copyByPdfium } from './internal/pdfium-copy.server.ts';
import type { PageView } from './pdfium-pages.server.ts';
import { JobRefusal } from './refusals.server.ts';
import { settlePages } from './settle-pages.server.ts';

export interface Prepared {
  bytes: Uint8Array;
  sha256: string;
  pages: { width: number; height: number }[];
  /** The digital signatures of the document, which the prepared one does not bear. */
  signatures: ForeignSignature[];
  /** The pages that are shown differently than in the document. */
  differences: PageDifference[];
}

const MAX_PAGES = 500;
/** Enough to find the field. */
const MAX_NAMED = 10;

/**
 * Makes a PDF ready to be signed: forms, annotations and layers become part of the pages, and nothing in it
 * acts on its own. Refuses files that are encrypted, damaged or forms of XFA, those whose signature forbids changes,
 * those with too many pages, and those that would lose the value of a field. What its pages show differently then is
 * listed.
 */
export async function prepare(bytes: Uint8Array): Promise<Prepared> {
  let made = await make(bytes, new Set());
  let compared = await compare(bytes, made);
  // readers are asked to draw these, so what is drawn in the file may be out of date
  const stale = compared.lost.filter(({ isMade }) => !isMade);
  if (stale.length > 0) {
    made = await make(bytes, new Set(stale.map(({ name }) => name)));
    compared = await compare(bytes, made);
  }
  const { lost, differences } = compared;
  if (lost.length > 0)
    throw new JobRefusal('lost-values', {
      fields: [...new Set(lost.map(({ name }) => name))].slice(0, MAX_NAMED),
    });
  return {
    bytes: made.bytes,
    sha256: createHash('sha256').update(made.bytes).digest('hex'),
    pages: made.pages.map(shownSize),
    signatures: made.signatures,
    differences,
  };
}

type Made = Awaited<ReturnType<typeof make>>;

/** Prepares a document, with new appearances of the fields with these names. */
async function make(original: Uint8Array, again: ReadonlySet<string>) {
  const pdf = await load(original);
  if (isXfa(pdf)) throw new JobRefusal('xfa');
  if (forbidsChanges(pdf)) throw new JobRefusal('signed');
  const count = pdf.getPageCount();
  if (count < 1) throw new JobRefusal('damaged');
  if (count > MAX_PAGES) throw new JobRefusal('too-many-pages');
  try {
    const before = namesOnPages(pdf);
    const signatures = foreignSignatures(pdf);
    settlePages(pdf);
    const undrawn = pagesWithUndrawn(pdf);
    const values = drawFormValues(pdf, again);
    pdf.flattenAll({ form: { skipAppearanceUpdate: true } });
    flattenAnnotations(pdf);
    removeActiveContent(pdf);
    const bytes = await pdf.save();
    const prepared = await PDF.load(bytes);
    assertStatic(prepared);
    const pages = prepared.getPages();
    return { bytes, pages, signatures, undrawn, values, before, after: namesOnPages(prepared) };
  } catch (error) {
    if (error instanceof JobRefusal) throw error;
    throw new JobRefusal('damaged'); // whatever the library cannot read is no document to sign
  }
}

/** What the prepared document shows differently, and the values that it does not show. */
async function compare(
  original: Uint8Array,
  { bytes, pages, undrawn, values, before, after }: Made,
): Promise<{ differences: PageDifference[]; lost: FormValue[] }> {
  const views = new Map<number, Views>();
  const differences = await differencesBetween({
    before: { bytes: original, names: before },
    after: { bytes, names: after },
    masksOf: (page, view) => masksOf(values, pages, { page, view }),
    onPage: (page, source, prepared) => {
      if (values.some(({ places }) => places.some((place) => place.page === page)))
        views.set(page, { source, prepared });
    },
  });
  for (const page of undrawn)
    if (!differences.some((difference) => difference.page === page + 1))
      differences.push({ page: page + 1, kinds: ['picture'] });
  differences.sort((a, b) => a.page - b.page);
  return { differences, lost: lostValues(values, pages, (page) => views.get(page)) };
}

/** The fields whose appearance was made here, which looks a little different from that of readers, but for combs. */
function masksOf(
  values: readonly FormValue[],
  pages: readonly PDFPage[],
  { page: at, view }: { page: number; view: PageView },
): PixelBox[] {
  const page = pages[at];
  return values
    .filter(({ isMade, isComb, isMadeByReaders }) => (isMade ? !isComb : isMadeByReaders))
    .flatMap(({ places }) => places)
    .flatMap((place) => (page && place.page === at ? [pixelBox(page, view, place.rect)] : []));
}

/**
 * Loads a PDF, also one that only PDFium can read; refuses encrypted files, also those that open without a password, and
 * damaged ones.
 */
export async function load(bytes: Uint8Array): Promise<PDF> {
  const pdf = (await parsed(bytes)) ?? (await repaired(bytes));
  if (!pdf) throw new JobRefusal('damaged');
  if (pdf.isEncrypted) throw new JobRefusal(pdf.isAuthenticated ? 'restricted' : 'encrypted');
  return pdf;
}

const parsed = (bytes: Uint8Array): Promise<PDF | undefined> => PDF.load(bytes).catch(() => undefined); // whatever the reason, the file cannot be read by it

async function repaired(bytes: Uint8Array): Promise<PDF | undefined> {
  const copy = await copyByPdfium(bytes);
  if (copy === 'locked') throw new JobRefusal('encrypted');
  return copy && parsed(copy);
}

/** A form whose pages only Adobe Reader makes: what other programs show is a request to use it. */
function isXfa(pdf: PDF): boolean {
  const { catalog, registry } = pdf.context;
  const resolve = registry.resolve.bind(registry);
  const root = catalog.getDict();
  const form = root.getDict('AcroForm', resolve);
  if (!form?.has('XFA')) return false;
  return (
    root.getBool('NeedsRendering', resolve)?.value === true ||
    (form.getArray('Fields', resolve)?.length ?? 0) === 0
  );
}

/** True if a certification signature of the file allows no changes at all (ISO 32000-2, 12.8.2.2). */
function forbidsChanges(pdf: PDF): boolean {
  const { catalog, registry } = pdf.context;
  const resolve = registry.resolve.bind(registry);
  const signature = catalog.getDict().getDict('Perms', resolve)?.getDict('DocMDP', resolve);
  if (!signature) return false;
  const references = signature.getArray('Reference', resolve);
  for (let i = 0; i < (references?.length ?? 0); i += 1) {
    const item = references?.at(i, resolve);
    const parameters = item?.type === 'dict' ? item.getDict('TransformParams', resolve) : undefined;
    if (parameters?.getNumber('P', resolve)?.value === 1) return true;
  }
  return false;
}

function shownSize(page: PDFPage): { width: number; height: number } {
  const { width, height } = shownBox(page);
  return { width, height };
}
