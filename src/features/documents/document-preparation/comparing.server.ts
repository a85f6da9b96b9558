import { PdfDict, PdfName, type PdfRef, PdfStream, type PDF, type PdfObject } from '@libpdf/core';
import type { PageDifference } from './preparation.ts';
import { differingPixels, isVisible, missingLetters, type PixelBox } from './page-pictures.server.ts';
import { openViews, type PageView } from './pdfium-pages.server.ts';
import { announce, MAX_STEP_TIME } from './progress.server.ts';
import { JobRefusal } from './refusals.server.ts';

/*
 * What is shown, signed and sealed is the same document (docs/decisions/0080): the pages of two versions are drawn and
 * compared, whatever could make them differ.
 */

/** Processor time for drawing the pages of one document, in ms: 500 pages of text take ten seconds. */
const MAX_TIME = 45_000;

/** How long two versions of a page may take on a busy machine, in ms. Nothing can interrupt PDFium but the end of its thread. */
const MAX_PAGE_TIME = 20_000;

interface Comparison {
  before: Version;
  after: Version;
  /** The areas of a page, from 0, that are expected to differ. */
  masksOf?: (page: number, view: PageView) => readonly PixelBox[];
  /** Also refuse letters that only the second version has. */
  isStrict?: boolean;
  /** Sees both views of each page. */
  onPage?: (page: number, before: PageView, after: PageView) => void;
}

interface Version {
  bytes: Uint8Array;
  /** What each page refers to by name. */
  names: readonly ReadonlySet<string>[];
}

/** The pages of the first version that the second one shows differently. Refuses a document that cannot be drawn. */
export async function differencesBetween({
  before,
  after,
  masksOf = () => [],
  isStrict = false,
  onPage,
}: Comparison): Promise<PageDifference[]> {
  const [first, second] = [await openViews(before.bytes), await openViews(after.bytes)];
  try {
    if (!first || !second || second.count < first.count) throw new JobRefusal('undrawable');
    const begun = process.threadCpuUsage();
    const differences: PageDifference[] = [];
    for (let page = 0; page < first.count; page += 1) {
      announce(MAX_PAGE_TIME);
      const { user, system } = process.threadCpuUsage(begun);
      if ((user + system) / 1000 > MAX_TIME) throw new JobRefusal('undrawable');
      const [one, other] = [first.view(page), second.view(page)];
      if (!other) throw new JobRefusal('undrawable');
      // a page without a size has one only after it was prepared
      if (!one) continue;
      onPage?.(page, one, other);
      const masks = masksOf(page, one);
      const kinds: PageDifference['kinds'] = [];
      if (isVisible(differingPixels(one, other, masks), one)) kinds.push('picture');
      if (missingLetters(one, other, masks) > 0 || (isStrict && missingLetters(other, one, masks) > 0))
        kinds.push('text');
      const names = after.names[page];
      if ([...(before.names[page] ?? [])].some((name) => !names?.has(name))) kinds.push('fonts');
      if (kinds.length > 0) differences.push({ page: page + 1, kinds });
    }
    return differences;
  } finally {
    announce(MAX_STEP_TIME);
    second?.close();
    first?.close();
  }
}

const MAX_DEPTH = 100;

/**
 * What the content of each page refers to: its fonts and objects by their names. PDFium draws a missing font with another
 * one, so that pictures may be the same where other readers show nothing.
 */
export function namesOnPages(pdf: PDF): Set<string>[] {
  const { registry } = pdf.context;
  const resolve = registry.resolve.bind(registry);
  return pdf.getPages().map(({ dict }) => {
    const names = new Set<string>();
    const resources = resourcesOf(dict, resolve);
    for (const category of ['Font', 'XObject']) {
      const entries = resources?.get(category, resolve);
      if (!(entries instanceof PdfDict) || entries instanceof PdfStream) continue;
      for (const [name] of entries) {
        const entry = entries.get(name, resolve);
        if (!(entry instanceof PdfDict)) continue;
        const font = entry.get('BaseFont', resolve);
        names.add(`${category}/${name.value}/${font instanceof PdfName ? font.value : ''}`);
      }
    }
    return names;
  });
}

/** The resources of a page, its own or inherited ones. */
function resourcesOf(page: PdfDict, resolve: (ref: PdfRef) => PdfObject | null): PdfDict | undefined {
  let node: PdfDict | undefined = page;
  for (let depth = 0; node && depth < MAX_DEPTH; depth += 1) {
    const resources = node.get('Resources', resolve);
    if (resources instanceof PdfDict) return resources;
    node = node.getDict('Parent', resolve);
  }
  return undefined;
}
