import { ops, PdfArray, PdfBool, PdfDict, PdfName, PdfNumber, type PdfRef, PdfString } from '@libpdf/core';
import type { PDF, PDFPage } from '@libpdf/core';

/*
 * The structure of a document, by which screen readers read headings, lists and tables (ISO 32000-2, 14.7 and 14.8).
 * The library has none of its own; its content operators and objects are enough.
 */

/** The structure types that the documents of the portal use. */
type Tag =
  | 'Document'
  | 'Sect'
  | 'H1'
  | 'H2'
  | 'P'
  | 'L'
  | 'LI'
  | 'Lbl'
  | 'LBody'
  | 'Table'
  | 'THead'
  | 'TBody'
  | 'TR'
  | 'TH'
  | 'TD';

export interface StructureElement {
  tag: Tag;
  dict: PdfDict;
  ref: PdfRef;
  kids: PdfArray;
}

/** What a page shows besides its content, which screen readers skip. */
type Artifact = 'Header' | 'Footer';

/** The structure tree of a document whose pages are all made here. */
export function tagsOf(pdf: PDF) {
  const { registry } = pdf.context;
  const root = PdfDict.of({ Type: PdfName.of('StructTreeRoot') });
  const rootRef = registry.register(root);
  /** The element of each marked content, page by page, in the order of their numbers. */
  const pages = new Map<PdfDict, PdfArray>();

  function element(tag: Tag, parent?: StructureElement, scope?: 'Column' | 'Row'): StructureElement {
    const kids = new PdfArray();
    const dict = PdfDict.of({
      Type: PdfName.of('StructElem'),
      S: PdfName.of(tag),
      P: parent?.ref ?? rootRef,
      K: kids,
    });
    // in a list, since PDFium reads no single one
    if (scope) dict.set('A', PdfArray.of(PdfDict.of({ O: PdfName.of('Table'), Scope: PdfName.of(scope) })));
    const ref = registry.register(dict);
    parent?.kids.push(ref);
    return { tag, dict, ref, kids };
  }

  function contentOf(page: PDFPage): PdfArray {
    const known = pages.get(page.dict);
    if (known) return known;
    page.dict.set('StructParents', PdfNumber.of(pages.size));
    page.dict.set('Tabs', PdfName.of('S'));
    const content = new PdfArray();
    pages.set(page.dict, content);
    return content;
  }

  /** Draws the content of an element. */
  function mark(page: PDFPage, { tag, ref, kids }: StructureElement, draw: () => void): void {
    const content = contentOf(page);
    const id = PdfNumber.of(content.length);
    page.drawOperators([ops.beginMarkedContentProps(`/${tag}`, PdfDict.of({ MCID: id }))]);
    draw();
    page.drawOperators([ops.endMarkedContent()]);
    content.push(ref);
    kids.push(PdfDict.of({ Type: PdfName.of('MCR'), Pg: page.ref, MCID: id }));
  }

  /** Sets the text of an element that is drawn as an image. */
  function setText({ dict }: StructureElement, text: string): void {
    dict.set('ActualText', PdfString.fromString(text));
  }

  function artifact(page: PDFPage, kind: Artifact, draw: () => void): void {
    const properties = PdfDict.of({ Type: PdfName.of('Pagination'), Subtype: PdfName.of(kind) });
    page.drawOperators([ops.beginMarkedContentProps('/Artifact', properties)]);
    draw();
    page.drawOperators([ops.endMarkedContent()]);
  }

  /** Writes the tree under its top element, once everything is drawn. */
  function finish(top: StructureElement): void {
    root.set('K', top.ref);
    const numbers = [...pages.values()].flatMap((content, at) => [
      PdfNumber.of(at),
      registry.register(content),
    ]);
    root.set('ParentTree', registry.register(PdfDict.of({ Nums: new PdfArray(numbers) })));
    root.set('ParentTreeNextKey', PdfNumber.of(pages.size));
    const catalog = pdf.context.catalog.getDict();
    catalog.set('StructTreeRoot', rootRef);
    catalog.set('MarkInfo', PdfDict.of({ Marked: PdfBool.TRUE }));
  }

  return { element, mark, setText, artifact, finish };
}
