import { copyIn, loadPdfium } from '#platform/storage/pdfium.server.ts';

/*
 * The structure of a PDF, as PDFium gives it to screen readers: another program than the one that writes it
 * (fpdf_structtree.h, fpdf_edit.h, fpdf_catalog.h). Strings are UTF-16 of a length in bytes, with a zero at the end.
 */

const BUFFER = 8192;
const TEXT_OBJECT = 1;

export interface PdfElement {
  type: string;
  /** The scope of a header cell. */
  scope: string;
  /** What its own content says, or what it says instead of an image. */
  text: string;
  kids: PdfElement[];
}

export interface PdfStructure {
  isTagged: boolean;
  /** What each page has of the tree. */
  pages: {
    root: PdfElement;
    /** The text that belongs to no element. */
    artifacts: string;
  }[];
}

export async function structureOf(bytes: Uint8Array): Promise<PdfStructure> {
  const pdfium = await loadPdfium();
  const { malloc } = pdfium.wasmExports;
  const file = copyIn(pdfium, bytes);
  const document = pdfium._FPDF_LoadMemDocument(file, bytes.length, 0);
  const buffer = malloc(BUFFER);
  const scopeName = malloc(8);
  pdfium.HEAPU8.set(Buffer.from('Scope\0'), scopeName);

  const textOf = (size: number): string =>
    Buffer.from(pdfium.HEAPU8.slice(buffer, buffer + Math.max(0, size - 2))).toString('utf16le');

  /** The text of each marked content of a page, and of what is none. */
  function contentOf(page: number): { marked: Map<number, string>; artifacts: string } {
    const texts = pdfium._FPDFText_LoadPage(page);
    const marked = new Map<number, string>();
    const artifacts: string[] = [];
    for (let i = 0; i < pdfium._FPDFPage_CountObjects(page); i += 1) {
      const object = pdfium._FPDFPage_GetObject(page, i);
      if (pdfium._FPDFPageObj_GetType(object) !== TEXT_OBJECT) continue;
      const text = textOf(pdfium._FPDFTextObj_GetText(object, texts, buffer, BUFFER));
      const id = pdfium._FPDFPageObj_GetMarkedContentID(object);
      if (id === -1) artifacts.push(text);
      else marked.set(id, (marked.get(id) ?? '') + text);
    }
    pdfium._FPDFText_ClosePage(texts);
    return { marked, artifacts: artifacts.join(' ') };
  }

  function elementOf(element: number, marked: ReadonlyMap<number, string>): PdfElement {
    const at = [...Array.from({ length: pdfium._FPDF_StructElement_CountChildren(element) }).keys()];
    return {
      type: textOf(pdfium._FPDF_StructElement_GetType(element, buffer, BUFFER)),
      scope: textOf(pdfium._FPDF_StructElement_GetStringAttribute(element, scopeName, buffer, BUFFER)),
      text:
        textOf(pdfium._FPDF_StructElement_GetActualText(element, buffer, BUFFER)) ||
        at
          .map((index) => pdfium._FPDF_StructElement_GetChildMarkedContentID(element, index))
          .map((id) => marked.get(id) ?? '')
          .join(''),
      kids: at
        .map((index) => pdfium._FPDF_StructElement_GetChildAtIndex(element, index))
        .filter((kid) => kid !== 0)
        .map((kid) => elementOf(kid, marked)),
    };
  }

  const pages = [...Array.from({ length: pdfium._FPDF_GetPageCount(document) }).keys()].map((index) => {
    const page = pdfium._FPDF_LoadPage(document, index);
    const { marked, artifacts } = contentOf(page);
    const tree = pdfium._FPDF_StructTree_GetForPage(page);
    const root = elementOf(pdfium._FPDF_StructTree_GetChildAtIndex(tree, 0), marked);
    pdfium._FPDF_StructTree_Close(tree);
    pdfium._FPDF_ClosePage(page);
    return { root, artifacts };
  });
  const isTagged = pdfium._FPDFCatalog_IsTagged(document) === 1;
  pdfium._FPDF_CloseDocument(document);
  return { isTagged, pages };
}

/** The elements of a type, in the order in which they are read. */
export const elementsIn = (root: PdfElement, type: string): PdfElement[] => [
  ...(root.type === type ? [root] : []),
  ...root.kids.flatMap((kid) => elementsIn(kid, type)),
];
