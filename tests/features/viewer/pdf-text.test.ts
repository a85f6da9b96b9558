import { describe, expect, test } from 'vitest';
import { openPdfs } from '#features/documents/viewer/pdfium.server.ts';
import { inReadingOrder } from '#features/documents/viewer/internal/text-lines.ts';
import { pdfWith } from '../../support/pdf.ts';

/* The text of pages as it is searched, copied and read aloud. */

const pdfs = await openPdfs();
let files = 0;

function read(bytes: Buffer, find?: string) {
  const key = `file ${(files += 1)}`;
  const answer = pdfs.read({ kind: 'read', key, bytes, from: 1, ...(find !== undefined && { find }) });
  if ('refused' in answer) throw new Error(`It is not read: ${answer.refused}`);
  const [page] = answer.pages;
  if (!page) throw new Error('It has no page');
  return page;
}
const linesOf = (bytes: Buffer): string[] => read(bytes).runs.map(({ text }) => text);

const LINES = 'BT /F1 14 Tf 50 780 Td (First line of it) Tj 0 -20 Td (Sign here) Tj ET';

describe('the text of turned pages', () => {
  test.each([0, 90, 180, 270, 360, 450, -90, -180])(
    'a page turned by %d degrees is read in lines, from the first to the last',
    (rotate) => {
      const page = read(pdfWith({ content: LINES, rotate }));
      expect(page.runs.map(({ text }) => text)).toEqual(['First line of it', 'Sign here']);
      const quarters = (((rotate / 90) % 4) + 4) % 4;
      expect(page.runs.map((run) => run.quarters ?? 0)).toEqual([quarters, quarters]);
      for (const { x, y, width, height } of page.runs)
        expect([x > 0, y > 0, x + width < page.width, y + height < page.height]).not.toContain(false);
    },
  );

  test.each([
    [90, '0 1 -1 0 80 60', '0 1 -1 0 100 60'],
    [180, '-1 0 0 -1 500 80', '-1 0 0 -1 500 100'],
    [270, '0 -1 1 0 500 780', '0 -1 1 0 480 780'],
  ])('a page turned by %d degrees whose text was turned back is read in lines', (rotate, first, second) => {
    const content = `BT /F1 14 Tf ${first} Tm (First line of it) Tj ${second} Tm (Sign here) Tj ET`;
    const { runs } = read(pdfWith({ content, rotate }));
    expect(runs.map(({ text }) => text)).toEqual(['First line of it', 'Sign here']);
    expect(runs.map(({ quarters }) => quarters)).toEqual([undefined, undefined]);
    expect((runs[0]?.y ?? 0) < (runs[1]?.y ?? 0)).toBe(true);
  });

  test('text along the margin is read in lines, and so is a slanted watermark', () => {
    const content = `${LINES} BT /F1 10 Tf 0 1 -1 0 30 100 Tm (In the margin) Tj ET BT /F1 40 Tf .7071 .7071 -.7071 .7071 150 300 Tm (DRAFT COPY) Tj ET`;
    const { runs } = read(pdfWith({ content }));
    expect(runs.map(({ text }) => text)).toEqual([
      'First line of it',
      'Sign here',
      'In the margin',
      'DRAFT COPY',
    ]);
    expect(runs[2]).toMatchObject({ quarters: 3 });
    expect((runs[2]?.height ?? 0) > 4 * (runs[2]?.width ?? 0)).toBe(true);
  });

  test('a search on a turned page marks the words where they are', () => {
    const [mark] = read(pdfWith({ content: LINES, rotate: 90 }), 'line').marks;
    expect(mark && mark.height > mark.width && mark.x > 770).toBe(true);
  });
});

test('letters beyond the first plane of Unicode are read as one letter each', () => {
  const map =
    '/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfchar <41> <d835dc34> <42> <d842dfb7> endbfchar endcmap end';
  expect(linesOf(pdfWith({ content: 'BT /F1 24 Tf 50 700 Td (AB) Tj ET', toUnicode: map }))).toEqual(['𝐴𠮷']);
});

describe('what people wrote on a page', () => {
  const NOTE = (appearance: string): string =>
    `<</Type/Annot/Subtype/FreeText/F 4/Rect[50 600 350 630]/DA(/Helv 12 Tf 0 g)/Contents(Please correct this)${appearance}>>`;

  test('a typed note is text of the page, at its place', () => {
    const page = read(pdfWith({ content: LINES, annotations: [NOTE('')] }));
    const run = page.runs.find(({ text }) => text === 'Please correct this');
    expect(run && run.x >= 48 && run.y > 842 - 632 && run.y + run.height < 842 - 598).toBe(true);
    expect(read(pdfWith({ content: LINES, annotations: [NOTE('')] }), 'correct').marks).toHaveLength(1);
  });

  test('a page that inherits its size keeps it, and its note its place', () => {
    const own = pdfWith({ content: LINES, annotations: [NOTE('')] }).toString('latin1');
    const size = '/MediaBox[0 0 595 842]';
    const inherited = own.replace(size, ' '.repeat(size.length)).replace('/Type/Pages', `/Type/Pages${size}`);
    const [expected, page] = [read(Buffer.from(own, 'latin1')), read(Buffer.from(inherited, 'latin1'))];
    expect([page.width, page.height, page.runs]).toEqual([595, 842, expected.runs]);
  });

  test('a note that is not shown is no text of the page', () => {
    const hidden = [2, 32].map((flag) => NOTE('').replace('/F 4', `/F ${flag}`));
    expect(linesOf(pdfWith({ content: LINES, annotations: hidden }))).toEqual([
      'First line of it',
      'Sign here',
    ]);
  });

  test('the value of a field is read after its label, on its left or above it', () => {
    const run = (text: string, x: number, y: number) => ({ text, x, y, width: 60, height: 12 });
    const labels = [run('Name', 50, 100), run('City', 50, 130), run('Remarks', 50, 160), run('End', 50, 300)];
    const values = [run('Recife', 150, 131), run('Maria', 150, 101), run('None', 55, 185)];
    const areas = [
      { x: 148, y: 96, width: 200, height: 20 },
      { x: 148, y: 126, width: 200, height: 20 },
      { x: 50, y: 180, width: 300, height: 80 },
    ];
    expect(inReadingOrder([...labels, ...values], areas).map(({ text }) => text)).toEqual([
      'Name',
      'Maria',
      'City',
      'Recife',
      'Remarks',
      'None',
      'End',
    ]);
  });
});

test('a form that only Adobe Reader lays out is not shown', () => {
  const form = '/AcroForm<</Fields[]/XFA 7 0 R>>/NeedsRendering true';
  const bytes = pdfWith({ content: LINES, catalog: form });
  const job = { key: 'xfa', bytes, page: 1, width: 160, from: 1 };
  expect(pdfs.draw({ ...job, kind: 'draw' })).toEqual({ refused: 'xfa' });
  expect(pdfs.read({ ...job, kind: 'read' })).toEqual({ refused: 'xfa' });
});
