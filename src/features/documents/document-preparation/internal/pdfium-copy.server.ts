import { copyIn, type Pdfium } from '#platform/storage/pdfium.server.ts';
import { loadEngine } from '../pdfium-pages.server.ts';

const PASSWORD = 4;
const SECURITY = 5;
const NOT_INCREMENTAL = 2;

/** What PDFium writes, and the number by which it calls the function that takes it; one for each engine. */
const sinks = new WeakMap<Pdfium, { number: number; parts: Uint8Array[] }>();

function sinkOf(pdfium: Pdfium): { number: number; parts: Uint8Array[] } {
  const known = sinks.get(pdfium);
  if (known) return known;
  const parts: Uint8Array[] = [];
  const write = (_ = 0, data = 0, size = 0): number => {
    parts.push(pdfium.HEAPU8.slice(data, data + size));
    return 1;
  };
  const sink = { number: pdfium.addFunction(write, 'iiii'), parts };
  sinks.set(pdfium, sink);
  return sink;
}

/**
 * Writes a PDF again as PDFium reads it, which repairs files that the library cannot read. `locked` if it needs a password,
 * undefined if PDFium cannot read it either.
 */
export async function copyByPdfium(bytes: Uint8Array): Promise<Uint8Array | 'locked' | undefined> {
  const pdfium = await loadEngine();
  const { malloc, free } = pdfium.wasmExports;
  const { number, parts } = sinkOf(pdfium);
  const memory = copyIn(pdfium, bytes);
  const document = pdfium._FPDF_LoadMemDocument(memory, bytes.length, 0);
  const error = document === 0 ? pdfium._FPDF_GetLastError() : 0;
  const writer = malloc(8);
  try {
    if (document === 0) return error === PASSWORD || error === SECURITY ? 'locked' : undefined;
    const view = new DataView(pdfium.HEAPU8.buffer);
    view.setInt32(writer, 1, true); // its version
    view.setInt32(writer + 4, number, true);
    return pdfium._FPDF_SaveAsCopy(document, writer, NOT_INCREMENTAL) ? Buffer.concat(parts) : undefined;
  } finally {
    parts.length = 0;
    if (document !== 0) pdfium._FPDF_CloseDocument(document);
    free(writer);
    free(memory);
  }
}
