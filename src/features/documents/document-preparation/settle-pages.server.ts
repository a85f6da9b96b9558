import {
  PdfArray,
  PdfDict,
  PdfName,
  PdfNumber,
  PdfRef,
  PdfStream,
  type PDF,
  type PDFPage,
  type PdfObject,
} from '@libpdf/core';
import { isolateContent } from './internal/page-group.server.ts';
import { balanceOf } from './internal/content-balance.server.ts';

/*
 * A page may inherit attributes, share its resources with others, and have neither a size nor any content (ISO 32000-2,
 * 7.7.3). The library knows none of this: what it draws first on such a page hides the inherited fonts, and goes to
 * the wrong place. So every page gets all that it needs itself, before anything else is read or drawn.
 */

const INHERITED = ['Resources', 'MediaBox', 'CropBox', 'Rotate'] as const;
/** No page tree is deeper; a longer chain of parents is a loop. */
const MAX_DEPTH = 100;
/** The size of a page without one: what readers show then. */
const LETTER = [0, 0, 612, 792];

type Resolve = (ref: PdfRef) => PdfObject | null;

/** Gives every page its own attributes, an ordinary size, and content. */
export function settlePages(pdf: PDF): void {
  const { registry } = pdf.context;
  const resolve: Resolve = registry.resolve.bind(registry);
  for (const { dict } of pdf.getPages()) {
    for (const name of INHERITED) {
      const value = inherited(dict, name, resolve);
      if (value) dict.set(name, value);
    }
    settleSize(dict, resolve);
    settleContent(pdf, dict, resolve);
    if (dict.getArray('Annots', resolve)) {
      ownResources(dict, resolve);
      registerAnnotations(pdf, dict, resolve);
    }
  }
  settleTree(pdf, resolve);
}

/** Gives a document whose catalog names its only page, instead of a list of pages, such a list: pages are added to it. */
function settleTree(pdf: PDF, resolve: Resolve): void {
  const { catalog, registry } = pdf.context;
  const root = catalog.getDict();
  const page = root.getRef('Pages');
  const dict = page && resolve(page);
  if (!page || !(dict instanceof PdfDict) || dict.getArray('Kids', resolve)) return;
  const pages = registry.register(
    PdfDict.of({ Type: PdfName.of('Pages'), Kids: PdfArray.of(page), Count: PdfNumber.of(1) }),
  );
  dict.set('Parent', pages);
  root.set('Pages', pages);
}

/** Gives a page that is drawn on resources of its own: names that are added would reach every page that shares them. */
export function ownResources(page: PDFPage['dict'], resolve: Resolve): void {
  const shared = page.getDict('Resources', resolve);
  const own = shared ? shared.clone() : new PdfDict();
  for (const [name] of [...own]) {
    const category = own.get(name, resolve);
    if (category instanceof PdfDict && !(category instanceof PdfStream)) own.set(name, category.clone());
  }
  page.set('Resources', own);
}

function inherited(page: PdfDict, name: string, resolve: Resolve): PdfObject | undefined {
  let node: PdfDict | undefined = page;
  for (let depth = 0; node && depth < MAX_DEPTH; depth += 1) {
    const value = node.get(name);
    if (value && value.type !== 'null' && !(value instanceof PdfRef && resolve(value) === null)) return value;
    node = node.getDict('Parent', resolve);
  }
  return undefined;
}

/** Writes boxes as plain numbers; those without a size are left out, and the rotation is one that readers agree about. */
function settleSize(page: PdfDict, resolve: Resolve): void {
  const media = boxOf(page, 'MediaBox', resolve) ?? LETTER;
  setBox(page, 'MediaBox', media);
  const crop = boxOf(page, 'CropBox', resolve);
  if (crop && overlap(media, crop)) setBox(page, 'CropBox', crop);
  else page.delete('CropBox');
  const rotate = page.getNumber('Rotate', resolve)?.value ?? 0;
  const turns = Number.isFinite(rotate) ? Math.trunc(rotate / 90) % 4 : 0;
  page.set('Rotate', PdfNumber.of((turns < 0 ? turns + 4 : turns) * 90));
}

function boxOf(page: PdfDict, name: string, resolve: Resolve): number[] | undefined {
  const box = page.getArray(name, resolve);
  const numbers = [0, 1, 2, 3].map((at) => {
    const item = box?.at(at, resolve);
    return item instanceof PdfNumber ? item.value : NaN;
  });
  const [left = 0, bottom = 0, right = 0, top = 0] = numbers;
  return numbers.every(Number.isFinite) && left !== right && bottom !== top ? numbers : undefined;
}

function overlap(a: readonly number[], b: readonly number[]): boolean {
  const span = (box: readonly number[], at: number): [number, number] => [
    Math.min(box[at] ?? 0, box[at + 2] ?? 0),
    Math.max(box[at] ?? 0, box[at + 2] ?? 0),
  ];
  return [0, 1].every((at) => {
    const [[from, to], [otherFrom, otherTo]] = [span(a, at), span(b, at)];
    return Math.min(to, otherTo) > Math.max(from, otherFrom);
  });
}

const setBox = (page: PdfDict, name: string, box: readonly number[]): void =>
  page.set(name, PdfArray.of(...box.map((each) => PdfNumber.of(each))));

/**
 * Leaves content streams only, and one if there is none. What is drawn on a page is put between the operators that save
 * and restore its state; without a content only the second one would be written, which some readers refuse to read. The
 * same happens to content that itself restores more than it saves, so that is completed.
 */
function settleContent(pdf: PDF, page: PdfDict, resolve: Resolve): void {
  const { registry } = pdf.context;
  const contents = page.get('Contents', resolve);
  const entry = page.get('Contents');
  const items = contents instanceof PdfArray ? [...contents] : entry ? [entry] : [];
  const parts = items.flatMap((item) => {
    const stream = item instanceof PdfRef ? resolve(item) : item;
    return stream instanceof PdfStream ? [{ item, stream }] : [];
  });
  const operators = (text: string): PdfObject => registry.register(new PdfStream([], Buffer.from(text)));
  const { extraRestores, openSaves, isTextOpen } = balanceOf(contentOf(parts.map(({ stream }) => stream)));
  const streams = parts.map(({ item }) => item);
  if (extraRestores > 0 || streams.length === 0) streams.unshift(operators('q '.repeat(extraRestores)));
  if (openSaves > 0 || isTextOpen)
    streams.push(operators(`${isTextOpen ? '\nET' : ''}${' Q'.repeat(openSaves)}\n`));
  const [only] = streams;
  page.set('Contents', streams.length === 1 && only ? only : PdfArray.of(...streams));
  const whole = streams.map((item) => (item instanceof PdfRef ? resolve(item) : item));
  isolateContent(pdf, page, contentOf(whole.filter((stream) => stream instanceof PdfStream)));
}

/** The content of a page, as far as it can be read. */
function contentOf(streams: readonly PdfStream[]): Uint8Array {
  return Buffer.concat(
    streams.flatMap((stream) => {
      try {
        return [stream.getDecodedData(), Buffer.from('\n')];
      } catch {
        return []; // readers show what they can
      }
    }),
  );
}

/** The library removes only annotations that are objects of their own once they are part of the page. */
function registerAnnotations(pdf: PDF, page: PdfDict, resolve: Resolve): void {
  const annotations = page.getArray('Annots', resolve);
  const items = [...(annotations ?? [])].flatMap((item) => {
    const annotation = item instanceof PdfRef ? resolve(item) : item;
    if (!(annotation instanceof PdfDict)) return [];
    return [item instanceof PdfRef ? item : pdf.context.registry.register(annotation)];
  });
  page.set('Annots', new PdfArray(items));
}
