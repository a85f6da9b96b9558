import {
  TRANSPARENT,
  copyIn,
  loadPdfium,
  compositeOnWhite,
  type Pdfium,
} from '#platform/storage/pdfium.server.ts';

/*
 * Pages as PDFium shows them, small: to compare documents. People see the pages of the portal by the same engine, so
 * what it cannot draw is nothing that anybody could have read.
 */

const RGBA = 4;
const ANNOTATIONS = 0x01;
/** Pixels per point: a line of small print is five pixels high. */
const SCALE = 0.75;
/** The most pixels of a picture; a larger page is drawn smaller. */
const MAX_PIXELS = 700_000;
const MAX_CHARACTERS = 60_000;
/** A blank; hyphens, which PDFium takes for parts of words where text ends after them: what follows changes them. */
const UNSTEADY = new Set([0xa0, 0x2d, 0xad, 0x2010]);
/** Bytes of the structure that describes a form environment; its functions are optional, and none is given. */
const FORM_INFO = 512;
/** Fractions of a pixel as which PDFium's integers are read. */
const FINE = 64;

/** A letter with the middle of its box, in pixels of the picture. */
export interface Letter {
  text: string;
  x: number;
  y: number;
}

export interface PageView {
  /** In pixels. */
  width: number;
  height: number;
  /** Pixels per point. */
  scale: number;
  /** Red, green, blue and one more byte for each pixel. */
  pixels: Uint8Array;
  letters: Letter[];
}

export interface PageViews {
  count: number;
  /** A page by its number from 0; undefined if it cannot be drawn. */
  view: (page: number) => PageView | undefined;
  close: () => void;
}

let loaded: Promise<Pdfium> | undefined;

/** The engine of this thread, which is loaded when it is needed first. */
export const loadEngine = (): Promise<Pdfium> => (loaded ??= loadPdfium());

/** Opens a PDF with the values of its form; undefined if PDFium cannot. */
export async function openViews(bytes: Uint8Array): Promise<PageViews | undefined> {
  const pdfium = await loadEngine();
  const { malloc, free } = pdfium.wasmExports;
  const memory = copyIn(pdfium, bytes);
  const document = pdfium._FPDF_LoadMemDocument(memory, bytes.length, 0);
  if (document === 0) {
    free(memory);
    return undefined;
  }
  const info = malloc(FORM_INFO);
  pdfium.HEAPU8.fill(0, info, info + FORM_INFO);
  new DataView(pdfium.HEAPU8.buffer).setInt32(info, 1, true);
  const form = pdfium._FPDFDOC_InitFormFillEnvironment(document, info);
  if (form !== 0) pdfium._FPDF_SetFormFieldHighlightAlpha(form, 0);
  return {
    count: pdfium._FPDF_GetPageCount(document),
    view: (page) => viewOf(pdfium, { document, form, page }),
    close: () => {
      if (form !== 0) pdfium._FPDFDOC_ExitFormFillEnvironment(form);
      pdfium._FPDF_CloseDocument(document);
      free(info);
      free(memory);
    },
  };
}

function viewOf(
  pdfium: Pdfium,
  { document, form, page: number }: { document: number; form: number; page: number },
): PageView | undefined {
  const page = pdfium._FPDF_LoadPage(document, number);
  if (page === 0) return undefined;
  if (form !== 0) pdfium._FORM_OnAfterLoadPage(page, form);
  try {
    const [wide, high] = [pdfium._FPDF_GetPageWidth(page), pdfium._FPDF_GetPageHeight(page)];
    if (!(wide > 0 && high > 0 && Number.isFinite(wide * high))) return undefined;
    const scale = Math.min(SCALE, Math.sqrt(MAX_PIXELS / (wide * high)));
    const [width, height] = [Math.max(1, Math.round(wide * scale)), Math.max(1, Math.round(high * scale))];
    const pixels = drawn(pdfium, { page, form, width, height });
    return { width, height, scale, pixels, letters: lettersOf(pdfium, { page, width, height }) };
  } finally {
    if (form !== 0) pdfium._FORM_OnBeforeClosePage(page, form);
    pdfium._FPDF_ClosePage(page);
  }
}

function drawn(
  pdfium: Pdfium,
  { page, form, width, height }: { page: number; form: number; width: number; height: number },
): Uint8Array {
  const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, RGBA, 0, width * 4);
  if (bitmap === 0) throw new RangeError('no memory for this page');
  pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, TRANSPARENT);
  pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, ANNOTATIONS);
  if (form !== 0) pdfium._FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, ANNOTATIONS);
  const at = pdfium._FPDFBitmap_GetBuffer(bitmap);
  const pixels = pdfium.HEAPU8.slice(at, at + width * height * 4);
  pdfium._FPDFBitmap_Destroy(bitmap);
  compositeOnWhite(pixels);
  return pixels;
}

function lettersOf(
  pdfium: Pdfium,
  { page, width, height }: { page: number; width: number; height: number },
): Letter[] {
  const text = pdfium._FPDFText_LoadPage(page);
  if (text === 0) return [];
  const scratch = pdfium.wasmExports.malloc(32);
  try {
    const letters: Letter[] = [];
    const count = Math.min(MAX_CHARACTERS, pdfium._FPDFText_CountChars(text));
    for (let index = 0; index < count; index += 1) {
      const code = pdfium._FPDFText_GetUnicode(text, index);
      if (code <= 0x20 || code === 0xfffe || code === 0xffff || code > 0x10ffff || UNSTEADY.has(code))
        continue;
      if (!pdfium._FPDFText_GetLooseCharBox(text, index, scratch)) continue;
      const memory = new DataView(pdfium.HEAPU8.buffer);
      const [left = 0, top = 0, right = 0, bottom = 0] = [0, 4, 8, 12].map((offset) =>
        memory.getFloat32(scratch + offset, true),
      );
      pdfium._FPDF_PageToDevice(
        page,
        0,
        0,
        width * FINE,
        height * FINE,
        0,
        (left + right) / 2,
        (top + bottom) / 2,
        scratch + 16,
        scratch + 20,
      );
      letters.push({
        text: String.fromCodePoint(code),
        x: memory.getInt32(scratch + 16, true) / FINE,
        y: memory.getInt32(scratch + 20, true) / FINE,
      });
    }
    return letters;
  } finally {
    pdfium.wasmExports.free(scratch);
    pdfium._FPDFText_ClosePage(text);
  }
}
