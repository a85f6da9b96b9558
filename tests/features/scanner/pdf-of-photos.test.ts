import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { paperOf, pdfOf, type Paper } from '#features/documents/scanner/pdf-of-photos.ts';
import {
  lightest,
  scanNameOf,
  scanNameProblem,
  toHighContrastGrey,
} from '#features/documents/scanner/rules.ts';
import { drawnPages } from '../../support/pdf-pages.ts';

type Jpeg = Uint8Array<ArrayBuffer>;
const photo = async (width: number, height: number, background: string): Promise<Jpeg> =>
  Uint8Array.from(
    await sharp({ create: { width, height, channels: 3, background } })
      .jpeg()
      .toBuffer(),
  );
const greyPhoto = async (): Promise<Jpeg> =>
  Uint8Array.from(
    await sharp({ create: { width: 30, height: 30, channels: 3, background: '#808080' } })
      .toColourspace('b-w')
      .jpeg({ progressive: true })
      .toBuffer(),
  );
const pdfIn = (photos: Jpeg[], paper: Paper): Buffer => Buffer.concat([...pdfOf(photos, paper)]);

/** Each page as rendered: its size in points, and the colours in the middle, at the top and at the left. */
function pagesOf(pdf: Buffer): string[][] {
  return drawnPages(pdf).map(({ width, height, pixels }) => {
    const at = (x: number, y: number): string =>
      NAMES[
        [...pixels.subarray((y * width + x) * 4).subarray(0, 3)]
          .map((value) => Math.round(value / 64))
          .join('')
      ] ?? 'something else';
    return [
      `${width} × ${height}`,
      at(Math.floor(width / 2), Math.floor(height / 2)),
      at(Math.floor(width / 2), 2),
      at(2, Math.floor(height / 2)),
    ];
  });
}

const NAMES: Record<string, string> = { '400': 'red', '004': 'blue', '222': 'grey', '444': 'white' };

describe('a PDF made of photos', () => {
  test('a PDF of photos has one page per photo, in order and orientation, with the photo centred as large as it fits', async () => {
    const photos = [await photo(300, 400, '#ff0000'), await photo(800, 300, '#0000ff'), await greyPhoto()];
    expect(pagesOf(pdfIn(photos, 'a4'))).toEqual([
      ['595 × 842', 'red', 'white', 'red'],
      ['842 × 595', 'blue', 'white', 'blue'],
      ['595 × 842', 'grey', 'white', 'grey'],
    ]);
    expect(pagesOf(pdfIn([await photo(200, 400, '#ff0000')], 'letter'))).toEqual([
      ['612 × 792', 'red', 'red', 'white'],
    ]);
  });

  test('a PDF of photos contains the bytes of each photo unchanged, and does not reveal who made it', async () => {
    const photos = [await photo(300, 400, '#ff0000'), await greyPhoto()];
    const pdf = pdfIn(photos, 'a4');
    for (const each of photos) expect(pdf.includes(each)).toBe(true);
    expect(pdf.toString('latin1')).not.toMatch(/\/Info|\/Producer|\/CreationDate|\/ID/);
  });

  test('the cross-reference table of a PDF of photos is correct', async () => {
    const text = pdfIn([await photo(30, 40, '#ff0000'), await photo(40, 30, '#0000ff')], 'a4').toString(
      'latin1',
    );
    const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1]);
    const [head = '', ...entries] = text.slice(start).split('\n').slice(1);
    const offsets = entries.filter((line) => / n $/.test(line)).map((line) => Number(line.slice(0, 10)));
    expect([text.slice(start, start + 5), head, offsets.length]).toEqual(['xref\n', '0 9', 8]);
    for (const [i, offset] of offsets.entries())
      expect(text.slice(offset, offset + 8)).toMatch(new RegExp(`^${i + 1} 0 obj\n`));
    for (const [, length, stream] of text.matchAll(/\/Length (\d+) >>\nstream\n([^]*?)\nendstream/g))
      expect(stream).toHaveLength(Number(length));
  });

  test.each([
    ['nothing', new Uint8Array()],
    ['a PNG', Uint8Array.from(Buffer.from('\x89PNG\r\n\x1a\n0000000000', 'latin1'))],
    ['a JPEG that ends', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 2)],
    ['a length of nothing', Uint8Array.of(0xff, 0xd8, 0xff, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0)],
  ])('a PDF of photos cannot be made of %s', (_, bytes) => {
    expect(() => pdfIn([bytes], 'a4')).toThrow(RangeError);
  });

  test('a PDF of photos has the paper size of the country', () => {
    expect(['en-US', 'en-CA', 'fr-CA', 'en-GB', 'en-AU', 'es-AR', 'pt-BR'].map(paperOf)).toEqual([
      'letter',
      'letter',
      'letter',
      'a4',
      'a4',
      'a4',
      'a4',
    ]);
  });
});

test('the image quality of a page is as high as its size limit allows', async () => {
  const weighing = (perCent: number) =>
    lightest(
      (quality) => Promise.resolve(quality * perCent),
      (bytes) => bytes,
    );
  expect(await Promise.all([weighing(4000), weighing(4500), weighing(9000)])).toEqual([
    300_000, 270_000, 450_000,
  ]);
});

test('in black and white, paper becomes white and ink black', () => {
  const pixels = Uint8ClampedArray.from(
    [
      [215, 210, 200, 255],
      [40, 40, 50, 255],
      [255, 0, 0, 255],
    ].flat(),
  );
  toHighContrastGrey(pixels);
  expect([...pixels]).toEqual([255, 255, 255, 255, 0, 0, 0, 255, 52, 52, 52, 255]);
});

test('a document name gets its extension once, and becomes one that every computer can store', () => {
  expect([' Rent ', 'Rent.PDF', 'Releve\u0301', 'a/b', 'CON'].map(scanNameOf)).toEqual([
    'Rent.pdf',
    'Rent.PDF',
    'Relevé.pdf',
    'a-b.pdf',
    '_CON.pdf',
  ]);
  expect(
    ['', ' ', '.pdf', 'a/b', 'setup.exe', 'x'.repeat(252), 'Scan 2026-11-21'].map(scanNameProblem),
  ).toEqual(['nameMissing', 'nameMissing', 'nameMissing', undefined, 'nameBad', undefined, undefined]);
});
