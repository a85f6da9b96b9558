import { init, type Functions } from '@embedpdf/pdfium';

type Numbers<Values extends readonly unknown[]> = { -readonly [At in keyof Values]: number };

/** PDFium's C interface, in which everything is a number: structures are written into its memory. */
export type Pdfium = {
  [Name in keyof Functions as `_${Name}`]: (...values: Numbers<Functions[Name][0]>) => number;
} & {
  /** Replaced when the memory grows, so read it anew after each call. */
  HEAPU8: Uint8Array<ArrayBuffer>;
  wasmExports: { malloc: (bytes: number) => number; free: (at: number) => void };
  /** Makes a function callable from C; the signature names the types of its result and values, such as `viii`. */
  addFunction: (call: (...values: number[]) => number | undefined, signature: string) => number;
};

/** Loads PDFium, with a memory of its own. It runs no scripts of documents: it is built without an engine for them. */
export async function loadPdfium(): Promise<Pdfium> {
  const { pdfium } = await init({});
  const loaded = pdfium as unknown as Pdfium; // the package types only its wrappers, which convert strings
  loaded._FPDF_InitLibrary();
  return loaded;
}

/** Copies bytes into PDFium's memory; throws a RangeError if there is no room. Callers free them. */
export function copyIn(pdfium: Pdfium, bytes: Uint8Array): number {
  const at = pdfium.wasmExports.malloc(bytes.length);
  if (at === 0) throw new RangeError('no memory for this file');
  pdfium.HEAPU8.set(bytes, at);
  return at;
}

/** A text as PDFium reads it: UTF-16 with a zero at the end. */
export const wideText = (text: string): Buffer => Buffer.from(`${text}\0`, 'utf16le');

/**
 * The backdrop of a page: its content blends with nothing below it, and the page as a whole is composited onto white paper
 * (ISO 32000-2, 11.4.7).
 */
export const TRANSPARENT = 0;
const WHITE = 0xffffffff;

/** Composites a page that was drawn on a transparent backdrop onto white, in place. `pixels` are RGBA, not premultiplied. */
export function compositeOnWhite(pixels: Uint8Array): void {
  const whole = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);
  for (let at = 0; at < whole.length; at += 1) {
    const alpha = (whole[at] ?? 0) >>> 24;
    if (alpha === 0) whole[at] = WHITE;
    if (alpha === 0 || alpha === 255) continue;
    for (let part = at * 4; part < at * 4 + 3; part += 1)
      pixels[part] = 255 - alpha + ((pixels[part] ?? 0) * alpha) / 255;
    pixels[at * 4 + 3] = 255;
  }
}
