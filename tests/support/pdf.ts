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
