/*
 * PDF files as other programs write them: objects as text, so that a test says exactly what is in the file. Object 1 is
 * the catalog and object 2 the pages; further objects have numbers from 3 on.
 */

/** A PDF of these objects, from 1 on, each as it is written between `obj` and `endobj`. */
export function rawPdf(objects: readonly string[]): Buffer {
  let text = '%PDF-1.7\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const start = text.length;
  const size = objects.length + 1;
  text += `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

/** A stream with the entries of its dictionary. */
export const stream = (content: string, entries = ''): string =>
  `<<${entries}/Length ${content.length}>>\nstream\n${content}\nendstream`;

export const HELVETICA = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>';

/** Text on a page or in an appearance. */
export const shows = (text: string, { x = 50, y = 780, size = 14, font = 'F1' } = {}): string =>
  `BT /${font} ${size} Tf ${x} ${y} Td (${text}) Tj ET`;

interface OnePage {
  /** Entries of the page, the pages and the catalog. */
  page?: string;
  pages?: string;
  catalog?: string;
  content?: string | undefined;
  /** Further objects, from 6 on. */
  objects?: readonly string[];
}

/** The entries of a page of A4 with a font. */
export const PLAIN = '/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>';

/** A PDF with one page, which has its content in object 4 and Helvetica in object 5. */
export const onePage = ({
  page = PLAIN,
  pages = '',
  catalog = '',
  content = shows('Service agreement'),
  objects = [],
}: OnePage): Buffer =>
  rawPdf([
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    `<</Type/Pages/Kids[3 0 R]/Count 1${pages}>>`,
    `<</Type/Page/Parent 2 0 R/Contents 4 0 R${page}>>`,
    stream(content),
    HELVETICA,
    ...objects,
  ]);
