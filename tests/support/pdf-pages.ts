import { copyIn, loadPdfium } from '#platform/storage/pdfium.server.ts';

const RGBA = 4;
const WHITE = 0xffffffff;
/** Red before blue. */
const REVERSED = 0x10;

export interface DrawnPage {
  /** In points, of which each is a pixel. */
  width: number;
  height: number;
  /** Red, green, blue and alpha of each pixel. */
  pixels: Uint8Array;
}

const pdfium = await loadPdfium();

/** The pages of a PDF as PDFium draws them. */
export function drawnPages(bytes: Uint8Array): DrawnPage[] {
  const memory = copyIn(pdfium, bytes);
  const document = pdfium._FPDF_LoadMemDocument(memory, bytes.length, 0);
  const pages = Array.from({ length: pdfium._FPDF_GetPageCount(document) }, (_, i) => drawnPage(document, i));
  pdfium._FPDF_CloseDocument(document);
  pdfium.wasmExports.free(memory);
  return pages;
}

function drawnPage(document: number, index: number): DrawnPage {
  const page = pdfium._FPDF_LoadPage(document, index);
  const [width, height] = [
    Math.round(pdfium._FPDF_GetPageWidth(page)),
    Math.round(pdfium._FPDF_GetPageHeight(page)),
  ];
  const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, RGBA, 0, width * 4);
  pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
  pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, REVERSED);
  const at = pdfium._FPDFBitmap_GetBuffer(bitmap);
  const pixels = pdfium.HEAPU8.slice(at, at + width * height * 4);
  pdfium._FPDFBitmap_Destroy(bitmap);
  pdfium._FPDF_ClosePage(page);
  return { width, height, pixels };
}
