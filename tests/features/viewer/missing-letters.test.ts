import { expect, test } from 'vitest';
import { openPdfs } from '#features/documents/viewer/pdfium.server.ts';
import { pdfWith } from '../../support/pdf.ts';

/* Letters of fonts that neither the file nor the portal has. */

const pdfs = await openPdfs();
let files = 0;

function lacksLetters(bytes: Buffer): boolean | undefined {
  const answer = pdfs.read({ kind: 'read', key: `file ${(files += 1)}`, bytes, from: 1 });
  if ('refused' in answer) throw new Error(`It is not read: ${answer.refused}`);
  return answer.pages[0]?.lacksLetters;
}

const CHINESE =
  '/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 4>>/FontDescriptor<</Type/FontDescriptor/FontName/STSong-Light/Flags 4/Ascent 880/Descent -120/CapHeight 880/StemV 80/ItalicAngle 0/FontBBox[-25 -254 1000 880]>>>>]';

test('a page whose letters cannot be drawn says so', () => {
  const content = 'BT /F1 24 Tf 60 700 Td <4E2D6587540854 0C> Tj ET';
  expect(lacksLetters(pdfWith({ content, font: CHINESE }))).toBe(true);
});

test.each([
  ['an ordinary page', 'BT /F1 9 Tf 60 700 Td (Service agreement, 4,200.00 per month) Tj ET'],
  ['a page without text', '10 10 100 100 re f'],
  ['white text on a dark ground', '0 0 595 842 re f 1 g BT /F1 9 Tf 60 700 Td (Service agreement) Tj ET'],
  ['text that only programs read', 'BT /F1 9 Tf 3 Tr 60 700 Td (Service agreement of a scan) Tj ET'],
  ['white text on white', '1 g BT /F1 9 Tf 60 700 Td (Service agreement for machines) Tj ET'],
  ['text beside the page', 'BT /F1 9 Tf 60 -700 Td (Service agreement) Tj ET'],
])('%s does not say that letters lack', (_, content) => {
  expect(lacksLetters(pdfWith({ content }))).toBeUndefined();
});

test('a page that takes long to draw is still read', () => {
  const curves = Array.from(
    { length: 200_000 },
    (_, i) => `${i % 500} 0 m ${i % 7} 700 10 10 ${i % 300} 400 c S`,
  );
  const begun = process.cpuUsage();
  expect(
    lacksLetters(pdfWith({ content: `BT /F1 9 Tf 60 700 Td (Plan) Tj ET ${curves.join('\n')}` })),
  ).toBeUndefined();
  const { user, system } = process.cpuUsage(begun);
  expect((user + system) / 1000).toBeLessThan(3000);
});
