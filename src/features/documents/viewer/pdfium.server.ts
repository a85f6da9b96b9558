import {
  TRANSPARENT,
  copyIn,
  loadPdfium,
  compositeOnWhite,
  wideText,
} from '#platform/storage/pdfium.server.ts';
import { DYNAMIC_XFA, pdfForms, type Form } from './internal/pdf-forms.server.ts';
import { lacksLetters } from './internal/ink.ts';
import { pdfText, type OpenPage } from './internal/pdf-text.server.ts';
import { inReadingOrder } from './internal/text-lines.ts';
import { PAGES_AT_ONCE, type Box, type Found, type ShownPage, type TextRun } from './viewer.ts';
import type { Drawing, DrawJob, PdfText, Read, ReadJob, Refused, TextJob } from './worker.server.ts';

const PASSWORD = 4;
const SECURITY = 5;
const RGBA = 4;
/** With annotations, and the colour order that sharp reads. */
const FLAGS = 0x01 | 0x10;
/** The state of a drawing that did not pause (FPDF_RENDER_DONE). */
const DONE = 2;

const MAX_OPEN = 3;
const MAX_OPEN_BYTES = 96_000_000;
const MAX_HITS = 1000;
/** The maximum ratio of height to width of a rendered page; a longer one becomes narrower. */
const TALLEST = 3;
/** Pixels of the picture in which letters are looked for, and how many are. */
const MAX_CHECKED_PIXELS = 500_000;
const MAX_CHECKED_LETTERS = 400;
/** Milliseconds after which no further page is looked at for letters that lack. */
const CHECK_TIME = 150;
/** Milliseconds after which a search ends with the results so far. */
const SEARCH_TIME = 2500;
/** The limits of the whole text of a file, in pages, characters and milliseconds. */
const MAX_TEXT = { pages: 200, characters: 300_000, time: 2000 };

interface Document {
  pointer: number;
  form: Form | undefined;
  /** Pages whose fields show their values. */
  settled: Set<number>;
}

interface Opened extends Document {
  memory: number;
  size: number;
  /** The same file again, whose fields and notes become part of its pages, to read their text. */
  merged?: Document;
  /** What was found on pages of `merged`. */
  annotations: Map<number, { areas: Box[]; ticks: TextRun[] }>;
}

/** PDFs opened by PDFium in WebAssembly: a few stay open, the least recently used one is closed. */
export async function openPdfs() {
  const pdfium = await loadPdfium();
  const forms = pdfForms(pdfium);
  const texts = pdfText(pdfium);
  const open = new Map<string, Opened>();
  let checkUntil = 0;
  /** What PDFium asks whether to pause (IFSDK_PAUSE): its version, and the function. */
  const pause = pdfium.wasmExports.malloc(12);
  const isOver = pdfium.addFunction(() => Number(performance.now() > checkUntil), 'ii');
  new Int32Array(pdfium.HEAPU8.buffer, pause, 3).set([1, isOver, 0]);

  function closeDocument({ pointer, form }: Document): void {
    if (form) forms.close(form);
    pdfium._FPDF_CloseDocument(pointer);
  }

  function close(key: string, opened: Opened): void {
    if (opened.merged) closeDocument(opened.merged);
    closeDocument(opened);
    pdfium.wasmExports.free(opened.memory);
    open.delete(key);
  }

  function opened({ key, bytes }: { key: string; bytes?: Uint8Array }): Opened | Refused {
    const known = open.get(key);
    if (known) {
      open.delete(key);
      open.set(key, known);
      return known;
    }
    if (!bytes) return { refused: 'broken' };
    let total = [...open.values()].reduce((sum, { size }) => sum + size, bytes.length);
    for (const [other, one] of open) {
      if (open.size < MAX_OPEN && total <= MAX_OPEN_BYTES) break;
      total -= one.size;
      close(other, one);
    }
    const memory = copyIn(pdfium, bytes);
    const pointer = pdfium._FPDF_LoadMemDocument(memory, bytes.length, 0);
    const why = pointer === 0 ? openingError() : undefined;
    if (why) {
      pdfium.wasmExports.free(memory);
      return { refused: why };
    }
    const one: Opened = { ...documentAt(pointer), memory, size: bytes.length, annotations: new Map() };
    open.set(key, one);
    return one;
  }

  const documentAt = (pointer: number): Document => ({
    pointer,
    form: forms.open(pointer),
    settled: new Set(),
  });

  function openingError(): Refused['refused'] {
    const error = pdfium._FPDF_GetLastError();
    return error === PASSWORD || error === SECURITY ? 'locked' : 'broken';
  }

  /** Opens a file whose pages can be shown. */
  function openPages(job: { key: string; bytes?: Uint8Array }): Opened | Refused {
    const one = opened(job);
    if ('refused' in one) return one;
    return forms.kindOf(one.pointer) === DYNAMIC_XFA ? { refused: 'xfa' } : one;
  }

  function withPage<T>(
    { pointer, form, settled }: Document,
    number: number,
    use: (page: OpenPage) => T,
  ): T | undefined {
    const loaded = pdfium._FPDF_LoadPage(pointer, number - 1);
    if (loaded === 0) return undefined;
    try {
      const [width, height] = [pdfium._FPDF_GetPageWidth(loaded), pdfium._FPDF_GetPageHeight(loaded)];
      if (!(width > 0 && height > 0 && Number.isFinite(width * height))) return undefined;
      forms.enter(form, loaded);
      if (!settled.has(number)) forms.settle(form, loaded);
      settled.add(number);
      return use({ pointer: loaded, width, height });
    } finally {
      forms.leave(form, loaded);
      pdfium._FPDF_ClosePage(loaded);
    }
  }

  /** Opens a page for its text, of which that of its fields and notes is part. */
  function withTextPage<T>(one: Opened, number: number, use: (page: OpenPage) => T): T | undefined {
    const hasText = withPage(one, number, ({ pointer }) => forms.hasText(pointer));
    if (!hasText) return withPage(one, number, use);
    const merged = (one.merged ??= openAgain(one));
    if (!one.annotations.has(number))
      withPage(merged, number, (page) => {
        one.annotations.set(number, placed(page, forms.merge(merged.form, page.pointer)));
      });
    return withPage(merged, number, use);
  }

  const openAgain = ({ memory, size }: Opened): Document =>
    documentAt(pdfium._FPDF_LoadMemDocument(memory, size, 0));

  function placed(page: OpenPage, { areas, ticks }: ReturnType<typeof forms.merge>) {
    const boxes = texts.boxesOn(
      page,
      ticks.map(({ area }) => area),
    );
    return {
      areas: texts.boxesOn(page, areas),
      ticks: ticks.flatMap(({ text }, at): TextRun[] => (boxes[at] ? [{ text, ...boxes[at] }] : [])),
    };
  }

  function shownPage(one: Opened, number: number, marks: Box[]): ShownPage | undefined {
    return withTextPage(one, number, (page) => {
      const { width, height } = page;
      const { areas, ticks } = one.annotations.get(number) ?? { areas: [], ticks: [] };
      const runs = inReadingOrder([...texts.runsOf(page), ...ticks], areas);
      return { page: number, width, height, runs, marks };
    });
  }

  /** Tells whether letters of a page cannot be drawn; false if that takes too long to find out. */
  function isLackingLetters(one: Opened, number: number, end: number): boolean {
    const letters = withPage(one, number, (page) => texts.lettersOn(page, MAX_CHECKED_LETTERS)) ?? [];
    if (letters.length === 0) return false;
    const isLacking = withPage(one, number, (page) => {
      const scale = Math.min(1, Math.sqrt(MAX_CHECKED_PIXELS / (page.width * page.height)));
      const [width, height] = [Math.ceil(page.width * scale), Math.ceil(page.height * scale)];
      checkUntil = end;
      const pixels = pixelsOf(one, page, { width, height, pause });
      return pixels !== undefined && lacksLetters({ pixels, width, height }, letters, scale);
    });
    return isLacking ?? false;
  }

  function search(
    one: Opened,
    count: number,
    words: string,
    from: number,
  ): { found: Found; marks: Map<number, Box[]> } {
    const memory = copyIn(pdfium, wideText(words));
    const found: Found = { words, total: 0, pages: [], isCut: false };
    const marks = new Map<number, Box[]>();
    const end = performance.now() + SEARCH_TIME;
    for (let page = 1; page <= count && !found.isCut; page += 1) {
      const hits = withTextPage(one, page, (opened) => texts.hitsOn(opened, memory, MAX_HITS)) ?? [];
      found.total += hits.length;
      if (hits.length > 0) found.pages.push({ page, hits: hits.length });
      if (page >= from && page < from + PAGES_AT_ONCE) marks.set(page, hits.flat());
      found.isCut = (found.total >= MAX_HITS || performance.now() > end) && page < count;
    }
    pdfium.wasmExports.free(memory);
    return { found, marks };
  }

  /** The pixels of a page with its fields; undefined if `pause` says that it takes too long. */
  function pixelsOf(
    { form }: Document,
    page: OpenPage,
    { width, height, pause }: { width: number; height: number; pause?: number },
  ): Uint8Array | undefined {
    const { pointer } = page;
    const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, RGBA, 0, width * 4);
    if (bitmap === 0) throw new RangeError('no memory for this page');
    pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, TRANSPARENT);
    const area = [bitmap, pointer, 0, 0, width, height, 0, FLAGS] as const;
    const isDone = pause === undefined || pdfium._FPDF_RenderPageBitmap_Start(...area, pause) === DONE;
    if (pause === undefined) pdfium._FPDF_RenderPageBitmap(...area);
    else pdfium._FPDF_RenderPage_Close(pointer);
    if (form) pdfium._FPDF_FFLDraw(form.environment, ...area);
    const scale = [width / page.width, height / page.height] as const;
    forms.drawLeftOut(form, pointer, { bitmap, flags: FLAGS, scale });
    const at = pdfium._FPDFBitmap_GetBuffer(bitmap);
    const pixels = isDone ? pdfium.HEAPU8.slice(at, at + width * height * 4) : undefined;
    pdfium._FPDFBitmap_Destroy(bitmap);
    if (pixels) compositeOnWhite(pixels);
    return pixels;
  }

  return {
    /** The keys of the files that need not be sent again. */
    open: (): string[] => [...open.keys()],

    /**
     * Renders a page as pixels, at most `width` wide; throws a broken-file error if there is no such page.
     */
    draw(job: DrawJob): Drawing | Refused {
      const one = openPages(job);
      if ('refused' in one) return one;
      const drawing = withPage(one, job.page, (page): Drawing | undefined => {
        const [width, height] = fitted(page, job.width);
        const pixels = pixelsOf(one, page, { width, height });
        return pixels && { pixels, width, height };
      });
      return drawing ?? { refused: 'broken' };
    },

    /** Returns the text of the first pages, one after the other. */
    text(job: TextJob): PdfText | Refused {
      const one = openPages(job);
      if ('refused' in one) return one;
      const count = Math.min(MAX_TEXT.pages, pdfium._FPDF_GetPageCount(one.pointer));
      const end = performance.now() + MAX_TEXT.time;
      let text = '';
      for (let page = 1; page <= count && text.length < MAX_TEXT.characters; page += 1) {
        if (performance.now() > end) break;
        text += `${withTextPage(one, page, texts.charactersOf) ?? ''}\n`;
      }
      return { text: text.slice(0, MAX_TEXT.characters) };
    },

    /** Returns the number of pages, those from `from` on with their text, and the results of a search. */
    read(job: ReadJob): Read | Refused {
      const one = openPages(job);
      if ('refused' in one) return one;
      const count = pdfium._FPDF_GetPageCount(one.pointer);
      if (count < 1) return { refused: 'broken' };
      const from = Math.min(job.from, count);
      const searched = job.find === undefined ? undefined : search(one, count, job.find, from);
      const pages: ShownPage[] = [];
      for (let page = from; page < from + PAGES_AT_ONCE && page <= count; page += 1) {
        const shown = shownPage(one, page, searched?.marks.get(page) ?? []);
        if (shown) pages.push(shown);
      }
      const end = performance.now() + CHECK_TIME;
      for (const shown of pages) {
        if (performance.now() > end) break;
        if (isLackingLetters(one, shown.page, end)) shown.lacksLetters = true;
      }
      return pages.length === 0
        ? { refused: 'broken' }
        : { count, pages, ...(searched && { found: searched.found }) };
    },
  };
}

/** The width and height of an image with a page's aspect ratio, in whole pixels. */
function fitted({ width, height }: { width: number; height: number }, wanted: number): [number, number] {
  const scale = Math.min(wanted / width, (wanted * TALLEST) / height);
  return [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
}
