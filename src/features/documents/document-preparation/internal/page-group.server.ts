import {
  PdfArray,
  PdfBool,
  PdfDict,
  PdfName,
  PdfNumber,
  PdfStream,
  type PDF,
  type PdfObject,
  type PdfRef,
} from '@libpdf/core';

/*
 * The content of a page is a group of its own, with nothing below it (ISO 32000-2, 11.4.7). PDFium draws it on white
 * paper at once, so that a color in some modes is not there where others show it. As an isolated group, which both draw
 * alike, all see the same.
 */

type Resolve = (ref: PdfRef) => PdfObject | null;

/** Modes whose result on white is the color itself, as on nothing. */
const SAME_ON_WHITE = new Set(['Normal', 'Compatible', 'Multiply', 'Darken']);
const MAX_DEPTH = 20;

/** The name of the group among the resources of its page. */
const GROUP = 'PageContent';

/** Makes the content of a page an isolated group, if it has colors in modes that are not the same on white paper. */
export function isolateContent(pdf: PDF, page: PdfDict, content: Uint8Array): void {
  const { registry } = pdf.context;
  const resolve: Resolve = registry.resolve.bind(registry);
  const resources = page.getDict('Resources', resolve);
  if (!resources || !mixesColors(resources, resolve)) return;
  const form = new PdfStream(
    [
      ['Type', PdfName.of('XObject')],
      ['Subtype', PdfName.of('Form')],
      ['BBox', page.get('MediaBox') ?? PdfArray.of(...[0, 0, 612, 792].map((each) => PdfNumber.of(each)))],
      ['Resources', resources.clone()],
      ['Group', PdfDict.of({ S: PdfName.of('Transparency'), I: PdfBool.TRUE })],
    ],
    content,
  );
  const own = resources.clone();
  const objects = own.getDict('XObject', resolve)?.clone() ?? new PdfDict();
  objects.set(GROUP, registry.register(form));
  own.set('XObject', objects);
  page.set('Resources', own);
  page.set('Contents', registry.register(new PdfStream([], Buffer.from(`/${GROUP} Do`))));
}

function mixesColors(resources: PdfDict, resolve: Resolve, seen = new Set<PdfDict>(), depth = 0): boolean {
  if (seen.has(resources) || depth > MAX_DEPTH) return false;
  seen.add(resources);
  const states = entriesOf(resources, 'ExtGState', resolve);
  const inner = ['XObject', 'Pattern'].flatMap((category) => entriesOf(resources, category, resolve));
  return (
    states.some((state) => isMixing(state.get('BM', resolve))) ||
    inner.some((each) => {
      const own = each.getDict('Resources', resolve);
      return own !== undefined && mixesColors(own, resolve, seen, depth + 1);
    })
  );
}

const isMixing = (mode: PdfObject | undefined): boolean =>
  (mode instanceof PdfArray ? [...mode] : [mode]).some(
    (each) => each instanceof PdfName && !SAME_ON_WHITE.has(each.value),
  );

function entriesOf(resources: PdfDict, category: string, resolve: Resolve): PdfDict[] {
  const entries = resources.get(category, resolve);
  if (!(entries instanceof PdfDict)) return [];
  return [...entries].flatMap(([name]) => {
    const entry = entries.get(name.value, resolve);
    return entry instanceof PdfDict ? [entry] : [];
  });
}
