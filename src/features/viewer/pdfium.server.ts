import { PDFiumModule } from '@hyzyla/pdfium';
import { PAGES_AT_ONCE, type Box, type Found, type ShownPage, type TextRun } from './viewer.ts';
import type { Drawing, DrawJob, Read, ReadJob, Refused } from './worker.server.ts';

/**
 * Functions of PDFium's C interface missing from the package's types (fpdf_text.h, fpdfview.h). Boxes are
 * written as numbers into memory.
 */
type Pdfium = Awaited<ReturnType<typeof PDFiumModule>> & {
  _FPDF_PageToDevice: (
    page: number,
    x: number,
    y: number,
    width: number,
    height: number,
    rotate: number,
    pageX: number,
    pageY: number,
    toX: number,
    toY: number,
  ) => number;
  _FPDFText_GetUnicode: (text: number, index: number) => number;
  _FPDFText_GetLooseCharBox: (text: number, index: number, box: number) => number;
  _FPDFText_FindStart: (text: number, words: number, flags: number, index: number) => number;
  _FPDFText_FindNext: (search: number) => number;
  _FPDFText_FindClose: (search: number) => void;
  _FPDFText_GetSchResultIndex: (search: number) => number;
  _FPDFText_GetSchCount: (search: number) => number;
};

const PASSWORD = 4;
const SECURITY = 5;
const RGBA = 4;
/** With annotations, and the colour order that sharp reads. */
const FLAGS = 0x01 | 0x10;
const WHITE = 0xffffffff;

const MAX_OPEN = 3;
const MAX_OPEN_BYTES = 96_000_000;
const MAX_CHARACTERS = 30_000;
const MAX_RUNS = 3000;
const MAX_HITS = 1000;
/** The maximum ratio of height to width of a rendered page; a longer one becomes narrower. */
const TALLEST = 3;
/** Milliseconds after which a search ends with the results so far. */
const SEARCH_TIME = 2500;
/** Fractions of a point as which PDFium's integers are read. */
const FINE = 20;

interface Opened {
  pointer: number;
  memory: number;
  size: number;
}

/** PDFs opened by pdfium in WebAssembly: a few stay open, the least recently used one is closed. */
export async function openPdfs() {
  const pdfium = (await PDFiumModule({})) as Pdfium;
  pdfium._FPDF_InitLibraryWithConfig({});
  const open = new Map<string, Opened>();
  const scratch = pdfium.wasmExports.malloc(64);
  const view = (): DataView => new DataView(pdfium.HEAPU8.buffer);

  function close(key: string, { pointer, memory }: Opened): void {
    pdfium._FPDF_CloseDocument(pointer);
    pdfium.wasmExports.free(memory);
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
    const memory = pdfium.wasmExports.malloc(bytes.length);
    if (memory === 0) throw new RangeError('no memory for this file');
    pdfium.HEAPU8.set(bytes, memory);
    const pointer = pdfium._FPDF_LoadMemDocument(memory, bytes.length, 0);
    if (pointer === 0) {
      const error = pdfium._FPDF_GetLastError();
      pdfium.wasmExports.free(memory);
      return { refused: error === PASSWORD || error === SECURITY ? 'locked' : 'broken' };
    }
    const one = { pointer, memory, size: bytes.length };
    open.set(key, one);
    return one;
  }

  function withPage<T>(
    { pointer }: Opened,
    page: number,
    use: (pagePointer: number, size: { width: number; height: number }) => T,
  ): T | undefined {
    const loaded = pdfium._FPDF_LoadPage(pointer, page - 1);
    if (loaded === 0) return undefined;
    try {
      const [width, height] = [pdfium._FPDF_GetPageWidth(loaded), pdfium._FPDF_GetPageHeight(loaded)];
      return width > 0 && height > 0 && Number.isFinite(width * height)
        ? use(loaded, { width, height })
        : undefined;
    } finally {
      pdfium._FPDF_ClosePage(loaded);
    }
  }

  function withText<T>(pagePointer: number, use: (text: number, count: number) => T, otherwise: T): T {
    const text = pdfium._FPDFText_LoadPage(pagePointer);
    if (text === 0) return otherwise;
    try {
      return use(text, Math.min(MAX_CHARACTERS, Math.max(0, pdfium._FPDFText_CountChars(text))));
    } finally {
      pdfium._FPDFText_ClosePage(text);
    }
  }

  /** The position of a character in visual orientation, whatever its orientation in the file. */
  function boxOf(
    page: number,
    size: { width: number; height: number },
    text: number,
    index: number,
  ): Box | undefined {
    if (!pdfium._FPDFText_GetLooseCharBox(text, index, scratch)) return undefined;
    const [left = 0, top = 0, right = 0, bottom = 0] = [0, 4, 8, 12].map((offset) =>
      view().getFloat32(scratch + offset, true),
    );
    const [x1, y1] = onPage(page, size, left, top);
    const [x2, y2] = onPage(page, size, right, bottom);
    return { x: Math.min(x1, x2), y: Math.min(y1, y2), width: Math.abs(x2 - x1), height: Math.abs(y2 - y1) };
  }

  function onPage(
    page: number,
    { width, height }: { width: number; height: number },
    x: number,
    y: number,
  ): [number, number] {
    pdfium._FPDF_PageToDevice(
      page,
      0,
      0,
      Math.round(width * FINE),
      Math.round(height * FINE),
      0,
      x,
      y,
      scratch + 32,
      scratch + 36,
    );
    return [view().getInt32(scratch + 32, true) / FINE, view().getInt32(scratch + 36, true) / FINE];
  }

  function textOf(page: number, size: { width: number; height: number }): TextRun[] {
    return withText(
      page,
      (text, count) => {
        const runs: TextRun[] = [];
        let run: TextRun | undefined;
        let space = '';
        for (let i = 0; i < count && runs.length < MAX_RUNS; i += 1) {
          const code = pdfium._FPDFText_GetUnicode(text, i);
          if (code === 0x0a || code === 0x0d) run = undefined;
          // spaces inserted by pdfium have no position
          if (code <= 0x20 || code === 0xa0) space = ' ';
          if (code <= 0x20 || code === 0xa0 || code === 0xfffe || code === 0xffff) continue;
          const box = boxOf(page, size, text, i);
          if (!box) continue;
          const character =
            code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code);
          if (run && goesOn(run, box)) extend(run, space + character, box);
          else runs.push((run = { text: character, ...box }));
          space = '';
        }
        return runs;
      },
      [],
    );
  }

  function marksIn(
    page: number,
    size: { width: number; height: number },
    text: number,
    start: number,
    count: number,
  ): Box[] {
    const marks: TextRun[] = [];
    for (let i = start; i < start + count; i += 1) {
      const box = boxOf(page, size, text, i);
      const last = marks.at(-1);
      if (box && last && goesOn(last, box)) extend(last, '', box);
      else if (box) marks.push({ text: '', ...box });
    }
    return marks.map(({ x, y, width, height }) => ({ x, y, width, height }));
  }

  /** Finds all occurrences of these words on a page, regardless of case. */
  function hitsOn(page: number, size: { width: number; height: number }, words: number): Box[][] {
    return withText(
      page,
      (text) => {
        const hits: Box[][] = [];
        const search = pdfium._FPDFText_FindStart(text, words, 0, 0);
        while (hits.length < MAX_HITS && pdfium._FPDFText_FindNext(search))
          hits.push(
            marksIn(
              page,
              size,
              text,
              pdfium._FPDFText_GetSchResultIndex(search),
              pdfium._FPDFText_GetSchCount(search),
            ),
          );
        pdfium._FPDFText_FindClose(search);
        return hits;
      },
      [],
    );
  }

  function search(
    one: Opened,
    count: number,
    words: string,
    from: number,
  ): { found: Found; marks: Map<number, Box[]> } {
    const memory = pdfium.wasmExports.malloc(words.length * 2 + 2);
    for (const [i, unit] of [
      ...Array.from({ length: words.length }, (_, at) => words.charCodeAt(at)),
      0,
    ].entries())
      view().setUint16(memory + i * 2, unit, true);
    const found: Found = { words, total: 0, pages: [], isCut: false };
    const marks = new Map<number, Box[]>();
    const end = performance.now() + SEARCH_TIME;
    for (let page = 1; page <= count && !found.isCut; page += 1) {
      const hits = withPage(one, page, (pointer, size) => hitsOn(pointer, size, memory)) ?? [];
      found.total += hits.length;
      if (hits.length > 0) found.pages.push({ page, hits: hits.length });
      if (page >= from && page < from + PAGES_AT_ONCE) marks.set(page, hits.flat());
      found.isCut = (found.total >= MAX_HITS || performance.now() > end) && page < count;
    }
    pdfium.wasmExports.free(memory);
    return { found, marks };
  }

  return {
    /** The keys of the files that need not be sent again. */
    open: (): string[] => [...open.keys()],

    /**
     * Renders a page as pixels, at most `width` wide; throws a broken-file error if there is no such page.
     */
    draw(job: DrawJob): Drawing | Refused {
      const one = opened(job);
      if ('refused' in one) return one;
      const drawing = withPage(one, job.page, (page, size): Drawing => {
        const [width, height] = fitted(size, job.width);
        const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, RGBA, 0, width * 4);
        if (bitmap === 0) throw new RangeError('no memory for this page');
        pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
        pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, FLAGS);
        const at = pdfium._FPDFBitmap_GetBuffer(bitmap);
        const pixels = pdfium.HEAPU8.slice(at, at + width * height * 4);
        pdfium._FPDFBitmap_Destroy(bitmap);
        return { pixels, width, height };
      });
      return drawing ?? { refused: 'broken' };
    },

    /** Returns the number of pages, those from `from` on with their text, and the results of a search. */
    read(job: ReadJob): Read | Refused {
      const one = opened(job);
      if ('refused' in one) return one;
      const count = pdfium._FPDF_GetPageCount(one.pointer);
      if (count < 1) return { refused: 'broken' };
      const from = Math.min(job.from, count);
      const searched = job.find === undefined ? undefined : search(one, count, job.find, from);
      const pages: ShownPage[] = [];
      for (let page = from; page < from + PAGES_AT_ONCE && page <= count; page += 1) {
        const shown = withPage(one, page, (pointer, size) => ({
          page,
          ...size,
          runs: textOf(pointer, size),
          marks: searched?.marks.get(page) ?? [],
        }));
        if (shown) pages.push(shown);
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

/**
 * Tells whether a character is on the same line as those before it, on either side of them, no further away
 * than the next word would be.
 */
function goesOn(run: Box, box: Box): boolean {
  const em = Math.max(run.height, 1);
  const [after, before] = [box.x - (run.x + run.width), run.x - (box.x + box.width)];
  return (
    Math.abs(box.y + box.height / 2 - (run.y + run.height / 2)) < em * 0.4 &&
    [after, before].some((gap) => gap < em * 0.9 && gap > -em * 0.6)
  );
}

function extend(run: TextRun, character: string, box: Box): void {
  const [right, bottom] = [
    Math.max(run.x + run.width, box.x + box.width),
    Math.max(run.y + run.height, box.y + box.height),
  ];
  run.text += character;
  run.x = Math.min(run.x, box.x);
  run.y = Math.min(run.y, box.y);
  run.width = right - run.x;
  run.height = bottom - run.y;
}
