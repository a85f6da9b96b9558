import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import { documentsByIds } from '#features/documents/documents/documents.server.ts';
import { setReading } from '#features/documents/documents/reading.server.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import type { Actor } from '#features/base/people/people.ts';
import { noteTime } from '#features/documents/viewer/refused-files.server.ts';
import { viewDocument } from '#features/documents/viewer/viewer.server.ts';
import type { View } from '#features/documents/viewer/viewer.ts';
import { at, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, seen, sessionAs } from '../../support/api.ts';
import { fileOf, uploadAs, makeCast } from '../../support/cast.ts';
import { pdfOf } from '../../support/pdf.ts';
import { cpuTimeOf } from '../../support/cpu-time.ts';
import { GRACE } from '../../support/whole.ts';

const { ada, ben, cleo, sam, projectA, projectB } = await makeCast();
const demo = path.join(import.meta.dirname, '../../../src/features/demo/demo/files');

let names = 0;
/** A document of Ada's client with these bytes and a unique name. */
const put = (extension: string, bytes: Buffer | string): Promise<Document> =>
  addDocument(sam, {
    containerType: 'Project',
    containerId: projectA.id,
    name: `Paper ${(names += 1)}.${extension}`,
    bytes: fileOf(bytes),
    onConflict: 'fail',
  });
const putDemo = (file: string): Promise<Document> =>
  addDocument(sam, {
    containerType: 'Project',
    containerId: projectA.id,
    name: `${(names += 1)} ${file}`,
    bytes: createReadStream(path.join(demo, file)),
    onConflict: 'fail',
  });
const view = (
  document: Document,
  wanted: { page?: number; find?: string } = {},
  actor: Actor = ada,
): Promise<View> => viewDocument(sessionAs(actor), document.id, { page: 1, ...wanted });
const image = (
  { id }: { id: string },
  {
    page = 1,
    width = 700,
    actor = ada,
    headers = {},
    method = 'GET',
  }: { page?: number; width?: number; actor?: Actor; headers?: Record<string, string>; method?: string } = {},
) => apiAs(actor)(method, `/api/storage/v1/documents/${id}/pages/${page}?width=${width}`, { headers });
const pagesOf = (shown: View) => {
  if (shown.kind !== 'pages') throw new Error(`It is shown as ${JSON.stringify(shown).slice(0, 200)}`);
  return shown;
};
const isRead = async ({ id }: Document, by: Actor): Promise<boolean> =>
  (await documentsByIds(by, [id]))[0]?.isReadByClientUser ?? false;
const trail = async ({ id }: Document) =>
  (
    await db()
      .selectFrom('audit')
      .select(['actor', 'action'])
      .where('target', '=', id)
      .where('action', '=', 'document.view')
      .execute()
  ).map(({ actor }) => actor);
const receipts = async (): Promise<number> =>
  (await db().selectFrom('receipts').selectAll().execute()).length;

const tax = await putDemo('tax-return-2025.pdf');
const long = await put(
  'pdf',
  pdfOf(Array.from({ length: 200 }, (_, i) => `Ledger sheet ${i + 1}${i === 149 ? ' needle' : ''}`)),
);

describe('a PDF in the viewer', () => {
  test('a PDF is shown page by page, with its text in position', async () => {
    const { count, pages, isImage } = pagesOf(await view(tax));
    expect([count, pages.length, isImage, pages[0]?.width, pages[0]?.height]).toEqual([
      6,
      6,
      false,
      612,
      792,
    ]);
    const title = pages[0]?.runs.find(({ text }) => text === 'U.S. Individual Income Tax Return');
    expect(title).toMatchObject({
      x: expect.closeTo(158, 0) as number,
      width: expect.closeTo(209, -1) as number,
    });
    expect(
      pages
        .flatMap(({ runs }) => runs)
        .every(({ x, y, width, height }) => x >= -1 && y >= -1 && x + width <= 613 && y + height <= 793),
    ).toBe(true);
  });

  test('the pages of a PDF are loaded ten at a time, from the requested page', async () => {
    const at = async (page: number): Promise<number[]> =>
      pagesOf(await view(long, { page })).pages.map((one) => one.page);
    expect([pagesOf(await view(long)).count, await at(1), await at(196), await at(999_999)]).toEqual([
      200,
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      [196, 197, 198, 199, 200],
      [200],
    ]);
  });

  test('the viewer answers "busy" to the next request while 32 wait, and works afterwards', async () => {
    const shown = await Promise.all(Array.from({ length: 60 }, () => view(long, { find: 'ledger' })));
    const busy = shown.filter((one) => one.kind === 'none');
    expect(busy.map((one) => one.because)).toEqual(busy.map(() => 'busy'));
    expect([busy.length > 0, shown.length - busy.length >= 32, (await view(long)).kind]).toEqual([
      true,
      true,
      'pages',
    ]);
  });

  test('a PDF is searched to its last page, regardless of case, and matches are marked on the shown pages', async () => {
    const needle = pagesOf(await view(long, { find: 'NEEDLE', page: 145 }));
    expect(needle.found).toEqual({
      words: 'NEEDLE',
      total: 1,
      pages: [{ page: 150, hits: 1 }],
      isCut: false,
    });
    const [run] = needle.pages.find(({ page }) => page === 150)?.runs ?? [];
    const [mark] = needle.pages.find(({ page }) => page === 150)?.marks ?? [];
    expect(mark && run && mark.x > run.x + 100 && mark.width < run.width && mark.y >= run.y - 1).toBe(true);
    expect(needle.pages.filter(({ marks }) => marks.length > 0).map(({ page }) => page)).toEqual([150]);
    expect(pagesOf(await view(long, { find: 'ledger' })).found).toMatchObject({ total: 200, isCut: false });
    expect(pagesOf(await view(long, { find: 'não' })).found).toMatchObject({ total: 0, pages: [] });
  });

  test('the text of a rotated PDF page is read in its visual orientation', async () => {
    const { pages } = pagesOf(await view(await put('pdf', pdfOf(['Sideways words'], { rotate: 90 }))));
    expect([pages[0]?.width, pages[0]?.height]).toEqual([842, 595]);
    // After the clockwise rotation, 60 points from the left become 60 from the top, and 700 from the bottom
    // become 700 from the left.
    expect(pages[0]?.runs[0]?.y).toBeCloseTo(60, -1);
    expect(pages[0]?.runs.map(({ x, width }) => x > 680 && x + width < 735)).not.toContain(false);
    expect(pages[0]?.runs.map(({ text }) => text).join('')).toMatch(/Sideways ?words/);
  });

  test('a PDF with a password and an invalid PDF are reported as such', async () => {
    expect(await view(await putDemo('password-locked.pdf'))).toEqual({ kind: 'none', because: 'locked' });
    expect(await view(await put('pdf', '%PDF-1.7\nnothing\n'))).toEqual({ kind: 'none', because: 'broken' });
  });
});

describe('the image of a page', () => {
  test('the image of a page is WebP of the requested width, must be revalidated, and cannot run scripts', async () => {
    for (const width of [700, 1700]) {
      const answer = await image(tax, { width });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/webp']);
      expect(await sharp(Buffer.from(await answer.arrayBuffer())).metadata()).toMatchObject({
        format: 'webp',
        width,
        height: Math.round((width * 792) / 612),
      });
    }
    const { headers } = await image(tax);
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'private, no-cache',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      etag: `"${tax.sha256}-700-1"`,
    });
  });

  test('the image of a first page is less than 100 kB at the width of a phone', async () => {
    for (const file of ['balancete-outubro-2026.pdf', 'engagement-letter.pdf']) {
      const answer = await image(await putDemo(file), { width: 1000 });
      expect([file, (await answer.arrayBuffer()).byteLength < 100_000]).toEqual([file, true]);
    }
  });

  test('the image of a page answers 304 only to those who may still see the document', async () => {
    const headers = { 'if-none-match': `"${tax.sha256}-700-2"` };
    expect([
      (await image(tax, { page: 2, headers })).status,
      (await image(tax, { page: 2, headers: { 'if-none-match': '"another"' } })).status,
    ]).toEqual([304, 200]);
    expect((await image(tax, { page: 2, headers, actor: ben })).status).toBe(404);
  });

  test("the image of somebody else's document answers like that of an unknown one", async () => {
    const bens = await uploadAs(ben, projectB, 'of ben.pdf', 'ben');
    const [theirs, unknown] = [await seen(await image(bens)), await seen(await image({ id: 'doc_unknown' }))];
    expect([theirs.status, theirs]).toEqual([404, unknown]);
    await expect(view(bens)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('there are no page images in other widths, of missing pages or of text files', async () => {
    expect((await image(tax, { width: 5000 })).status).toBe(422);
    expect((await image(tax, { page: 0 })).status).toBe(422);
    expect(await seen(await image(tax, { page: 7 }))).toMatchObject({ status: 422 });
    expect((await image(await put('txt', 'words'))).status).toBe(415);
  });
});

describe('viewing a document', () => {
  test('viewing a document marks it read and is audited once for each person, and is not a download', async () => {
    const paper = await put('txt', 'words');
    const before = await receipts();
    expect(await isRead(paper, ada)).toBe(false);
    await view(paper);
    await view(paper);
    await view(paper, {}, cleo);
    expect([await isRead(paper, ada), await trail(paper), await receipts()]).toEqual([
      true,
      [ada.contactId, cleo.contactId],
      before,
    ]);
  });

  test('viewing a document again marks it read if it was marked unread before', async () => {
    const paper = await put('txt', 'words');
    await view(paper);
    await setReading(ada, { documentIds: [paper.id], isRead: false });
    expect(await isRead(paper, ada)).toBe(false);
    await view(paper);
    expect(await isRead(paper, ada)).toBe(true);
  });

  test('viewing as a contact and HEAD requests mark nothing read', async () => {
    const paper = await put('pdf', pdfOf(['x']));
    const asAda: Actor = { ...ada, viewedBy: sam.contactId };
    await view(paper, {}, asAda);
    expect((await image(paper, { actor: asAda })).status).toBe(200);
    expect((await image(paper, { method: 'HEAD' })).status).toBe(200);
    expect([await isRead(paper, ada), await trail(paper)]).toEqual([false, []]);
    expect((await image(paper)).status).toBe(200);
    expect([await isRead(paper, ada), await trail(paper)]).toEqual([true, [ada.contactId]]);
  });
});

describe('tables in the viewer', () => {
  test('a table with a million cells is shown up to its 200th column, and says what is omitted', async () => {
    const shown = await view(await put('csv', ','.repeat(1_000_000)));
    expect(shown).toMatchObject({ kind: 'table', leftOut: { rows: false, columns: true, text: false } });
    expect(shown.kind === 'table' && shown.rows.map((row) => row.length)).toEqual([200]);
  });

  test('a shown table has at most 20,000 cells of at most 1,000 characters', async () => {
    const row = `${'x'.repeat(2000)}${',a'.repeat(199)}\n`;
    const shown = await view(await put('csv', row.repeat(150)));
    expect(shown).toMatchObject({ kind: 'table', leftOut: { rows: true, columns: false, text: true } });
    expect(shown.kind === 'table' && [shown.rows.length, shown.rows[0]?.[0]?.length]).toEqual([100, 1001]);
  });

  test('a table larger than its read limit says that it has more rows', async () => {
    const shown = await view(await put('csv', `${'x'.repeat(300_000)}\n`.repeat(4)));
    expect(shown).toMatchObject({ kind: 'table', leftOut: { rows: true } });
  });
});

describe('files that are slow to render', () => {
  test('a file that was slow twice is no longer shown, except for recently rendered pages', async () => {
    const heavy = await put('pdf', pdfOf(['one', 'two']));
    expect((await image(heavy)).status).toBe(200);
    noteTime(heavy.sha256, 2001);
    expect((await view(heavy)).kind).toBe('pages');
    noteTime(heavy.sha256, 2001);
    expect(await view(heavy)).toEqual({ kind: 'none', because: 'tooHeavy' });
    const refused = await image(heavy, { page: 2 });
    expect([await refused.json(), refused.status, (await image(heavy)).status]).toMatchObject([
      { errors: [{ code: 'TOO_HEAVY' }] },
      422,
      200,
    ]);
    const later = await at(now() + MINUTE + 1, async () => (await image(heavy)).status);
    const afterwards = await at(now() + 11 * MINUTE, async () => (await view(heavy)).kind);
    expect([later, afterwards]).toEqual([422, 'pages']);
  });
});

/** A PNG of so many black pixels: 64 million of them compress to 8 kB. */
function pngOf(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const [length, check] = [data.length, crc32(named)].map((number) => {
      const four = Buffer.alloc(4);
      four.writeUInt32BE(number);
      return four;
    });
    return Buffer.concat([length ?? named, named, check ?? named]);
  };
  const head = Buffer.from([
    ...[width, height].flatMap((side) => [side >>> 24, (side >>> 16) & 255, (side >>> 8) & 255, side & 255]),
    1,
    0,
    0,
    0,
    0,
  ]);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('images in the viewer', () => {
  const canvas = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#336699' } });

  test('an image is shown upright and without its metadata', async () => {
    const photo = await canvas(400, 200)
      .jpeg()
      .withExif({ IFD0: { Copyright: 'SECRET-PLACE' } })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    expect(photo.includes('SECRET-PLACE')).toBe(true);
    const paper = await put('jpg', photo);
    expect(pagesOf(await view(paper))).toMatchObject({
      isImage: true,
      count: 1,
      pages: [{ width: 200, height: 400 }],
    });
    const small = Buffer.from(await (await image(paper)).arrayBuffer());
    expect(await sharp(small).metadata()).toMatchObject({ format: 'webp', width: 200, height: 400 });
    expect(small.includes('SECRET-PLACE')).toBe(false);
  });

  test('an image with too many pixels or that cannot be decoded is reported at once', async () => {
    const bomb = pngOf(8000, 8000);
    const broken = (await canvas(300, 300).png().toBuffer()).subarray(0, 40);
    const spent = await cpuTimeOf(async () => {
      for (const [bytes, because, code] of [
        [bomb, 'tooLarge', 'TOO_LARGE'],
        [broken, 'broken', 'UNREADABLE'],
      ] as const) {
        const paper = await put('png', bytes);
        expect([await view(paper), await (await image(paper)).json()]).toMatchObject([
          { kind: 'none', because },
          { errors: [{ code }] },
        ]);
      }
    });
    expect(spent).toBeLessThan(4000);
  });
});

test('a photo in HEIC, which has no preview, says so', async () => {
  const photo = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
  expect(await view(await put('heic', photo))).toEqual({ kind: 'none', because: 'heic' });
});

describe('large and incomplete images', () => {
  const plain = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#336699' } });

  test.each([
    ['a photo of 56 megapixels', 'jpg', () => plain(9000, 6200).jpeg().toBuffer()],
    [
      'a scan of A3 at 600 dpi in black and white',
      'tif',
      () =>
        plain(7016, 9921)
          .threshold(0)
          .toColourspace('b-w')
          .tiff({ compression: 'ccittfax4', bitdepth: 1 })
          .toBuffer(),
    ],
  ])('%s is shown', async (_, extension, bytes) => {
    const paper = await put(extension, await bytes());
    expect((await view(paper)).kind).toBe('pages');
    const answer = await image(paper, { width: 1700 });
    expect(answer.status).toBe(200);
    expect((await sharp(Buffer.from(await answer.arrayBuffer())).metadata()).width).toBe(1700);
  });

  test('images beyond the limit of their type are too large, not damaged', async () => {
    const limits = [
      ['jpg', await plain(16_000, 9500).jpeg().toBuffer()],
      ['png', pngOf(10_000, 6000)],
    ] as const;
    for (const [extension, bytes] of limits) {
      const paper = await put(extension, bytes);
      expect(await view(paper)).toEqual({ kind: 'none', because: 'tooLarge' });
      expect(await seen(await image(paper))).toMatchObject({ status: 413 });
    }
  });

  test.each([
    ['jpg', 1],
    ['jpg', 2],
    ['png', 1],
  ])('a %s whose upload broke off is shown as far as it goes, and says so', async (type, scans) => {
    const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
    const photo = sharp({ create: { width: 900, height: 600, channels: 3, background: '#336699', noise } });
    const whole = await (type === 'jpg' ? photo.jpeg({ progressive: scans > 1 }) : photo.png()).toBuffer();
    const half = await put(type, whole.subarray(0, whole.length / 2));
    expect([await view(half), (await image(half)).status]).toMatchObject([
      { kind: 'pages', isIncomplete: true },
      200,
    ]);
    for (const complete of [whole, Buffer.concat([whole, Buffer.from('\xff\xdaMotionPhoto_Data', 'latin1')])])
      expect(await view(await put(type, complete))).not.toHaveProperty('isIncomplete');
  });
});

describe('hostile files', () => {
  /**
   * Each file gets some answer within the time limit of one job; afterwards the portal still shows intact
   * files.
   */
  async function expectCalm(files: Buffer[]): Promise<void> {
    for (const bytes of files) {
      const paper = await put('pdf', bytes);
      const started = performance.now();
      const shown = await view(paper, { find: 'a' });
      const { status } = await image(paper);
      expect([shown.kind === 'pages' || shown.kind === 'none', status === 200 || status === 422]).toEqual([
        true,
        true,
      ]);
      expect(performance.now() - started).toBeLessThan(11_000 + GRACE);
    }
    expect((await image(tax)).status).toBe(200);
  }

  test('a PDF truncated at any position is answered in time', async () => {
    const whole = await fs.readFile(path.join(demo, 'bank-statement-september.pdf'));
    await expectCalm(
      Array.from({ length: 20 }, (_, i) =>
        whole.subarray(0, Math.max(12, Math.floor((whole.length * i) / 20))),
      ),
    );
  }, 60_000);

  test('a PDF with corrupt bytes, false counts, endless pages, huge or empty paper is answered in time', async () => {
    const whole = await fs.readFile(path.join(demo, 'bank-statement-september.pdf'));
    const noise = Buffer.from(whole);
    for (let i = 200; i < noise.length; i += 97) noise[i] = (i * 31) % 256;
    const lies = (from: string, to: string): Buffer =>
      Buffer.from(pdfOf(['one', 'two']).toString('latin1').replaceAll(from, to), 'latin1');
    await expectCalm([
      noise,
      lies('/Count 2', '/Count 2000000000'),
      lies('/Count 2', '/Count -5'),
      lies('4 0 R 6 0 R', '2 0 R 2 0 R'),
      pdfOf(['a'], { box: '0 0 14400 14400' }),
      pdfOf(['a'], { box: '0 0 1e12 1e12' }),
      pdfOf(['a'], { box: '0 0 14400 1' }),
      pdfOf(['a'], { box: '0 0 0 0' }),
      pdfOf(['a'], { box: '-1e9 -1e9 1e9 1e9' }),
    ]);
  }, 60_000);
});
