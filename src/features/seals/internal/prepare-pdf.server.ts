import { createHash } from 'node:crypto';
import { PDF, type PDFPage } from '@libpdf/core';
import type { Prepared } from '../worker.server.ts';
import { shownBox } from './page-box.server.ts';
import { SealRefusal } from './seal-refusal.server.ts';

const MAX_PAGES = 500;

/**
 * Makes a PDF ready to be signed: forms, annotations and layers become part of the pages, and nothing in it
 * acts on its own. Refuses encrypted and damaged files, those whose signature forbids changes, and those with
 * too many pages.
 */
export async function prepare(bytes: Uint8Array): Promise<Prepared> {
  const pdf = await load(bytes);
  if (forbidsChanges(pdf)) throw new SealRefusal('signed');
  const count = pdf.getPageCount();
  if (count < 1) throw new SealRefusal('damaged');
  if (count > MAX_PAGES) throw new SealRefusal('too-many-pages');
  try {
    pdf.flattenAll();
    removeActions(pdf);
    const prepared = await pdf.save();
    const pages = (await PDF.load(prepared)).getPages();
    return {
      bytes: prepared,
      sha256: createHash('sha256').update(prepared).digest('hex'),
      pages: pages.map(shownSize),
    };
  } catch {
    throw new SealRefusal('damaged'); // whatever the library cannot read is no document to sign
  }
}

/** Loads a PDF; refuses encrypted files, also those that open without a password, and damaged ones. */
export async function load(bytes: Uint8Array): Promise<PDF> {
  let pdf: PDF;
  try {
    pdf = await PDF.load(bytes);
  } catch {
    throw new SealRefusal('damaged');
  }
  if (pdf.isEncrypted) throw new SealRefusal('encrypted');
  return pdf;
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

/** What runs when a document is opened, and forms outside of the pages. */
function removeActions(pdf: PDF): void {
  const { catalog, registry } = pdf.context;
  const root = catalog.getDict();
  for (const name of ['OpenAction', 'AA', 'AcroForm', 'Perms', 'DSS']) root.delete(name);
  root.getDict('Names', registry.resolve.bind(registry))?.delete('JavaScript');
  for (const page of pdf.getPages()) page.dict.delete('AA');
}

function shownSize(page: PDFPage): { width: number; height: number } {
  const { width, height } = shownBox(page);
  return { width, height };
}
