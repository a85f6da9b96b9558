import { expect, test } from 'vitest';
import { openPdfs } from '#features/documents/viewer/pdfium.server.ts';
import { onePage } from '../../support/raw-pdf.ts';

/* Colors that blend with what is below them, where there is nothing but paper. */

const pdfs = await openPdfs();

/** The color in the middle of a page, which is a transparency group. */
function drawn(mode: string): number[] {
  const page = `/MediaBox[0 0 100 100]/Group<</S/Transparency/CS/DeviceRGB>>/Resources<</ExtGState<</G<</BM/${mode}>>>>>>`;
  const bytes = onePage({ page, content: '/G gs 0.8 0.2 0.2 rg 20 20 60 60 re f' });
  const answer = pdfs.draw({ kind: 'draw', key: mode, bytes, page: 1, width: 100 });
  if ('refused' in answer) throw new Error(`It is not drawn: ${answer.refused}`);
  const middle = (50 * answer.width + 50) * 4;
  expect([...answer.pixels.subarray(0, 4)], 'the paper').toEqual([255, 255, 255, 255]);
  return [...answer.pixels.subarray(middle, middle + 4)];
}

test.each(['Normal', 'Multiply', 'Screen', 'Difference', 'ColorDodge'])(
  'a color in the mode %s on blank paper is shown as it is',
  (mode) => {
    expect(drawn(mode)).toEqual([204, 51, 51, 255]);
  },
);
