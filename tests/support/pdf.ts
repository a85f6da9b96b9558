/** A PDF with a page per text, line by line; `size` in points. */
export function pdfOf(pages: readonly string[], { box = '0 0 595 842', rotate = 0, size = 24 } = {}): Buffer {
  const kids = pages.map((_, i) => `${4 + i * 2} 0 R`).join(' ');
  const objects = pages.flatMap((text, i) => {
    const lines = text.split('\n').map((line) => `(${line}) Tj`);
    const content = `BT /F1 ${size} Tf ${size * 1.3} TL 60 ${700 + (lines.length > 1 ? 80 : 0)} Td ${lines.join(' T* ')} ET`;
    return [
      `${4 + i * 2} 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[${box}]/Rotate ${rotate}/Resources<</Font<</F1 3 0 R>>>>/Contents ${5 + i * 2} 0 R>>\nendobj`,
      `${5 + i * 2} 0 obj\n<</Length ${content.length}>>\nstream\n${content}\nendstream\nendobj`,
    ];
  });
  return Buffer.from(
    [
      '%PDF-1.7',
      '1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj',
      `2 0 obj\n<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>\nendobj`,
      '3 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj',
      ...objects,
      'trailer\n<</Root 1 0 R>>',
      '%%EOF',
      '',
    ].join('\n'),
  );
}

interface OnePage {
  content: string;
  rotate?: number;
  /** The map from the codes of the font to letters. */
  toUnicode?: string;
  annotations?: readonly string[];
  /** Further entries of the catalog. */
  catalog?: string;
  /** The font, by default Helvetica. */
  font?: string;
}

/** A PDF with a page of this content, whose font is F1. */
export function pdfWith({
  content,
  rotate = 0,
  toUnicode,
  annotations = [],
  catalog = '',
  font = '/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding',
}: OnePage): Buffer {
  const stream = (text: string): string => `<</Length ${text.length}>>\nstream\n${text}\nendstream`;
  const objects = [
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Rotate ${rotate}/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>/Annots[${annotations.join('')}]>>`,
    stream(content),
    `<</Type/Font${font}${toUnicode === undefined ? '' : '/ToUnicode 6 0 R'}>>`,
    stream(toUnicode ?? ''),
    stream('<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"></xdp:xdp>'),
  ];
  return Buffer.from(
    [
      '%PDF-1.7',
      ...objects.map((body, at) => `${at + 1} 0 obj\n${body}\nendobj`),
      'trailer\n<</Root 1 0 R>>',
      '%%EOF',
      '',
    ].join('\n'),
    'latin1',
  );
}
