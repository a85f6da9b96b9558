import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { bytesOf } from '#features/documents/documents/bytes.server.ts';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import { scanName } from '#features/documents/scanner/scanner.server.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import { accessFrom } from '#features/base/people/access-settings.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { at } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { unpackFlash } from '#platform/http/flash.server.ts';
import { apiAs, filesForm, seen } from '../../support/api.ts';
import { blobFiles, everyRow, makeCast, pdf, readAll } from '../../support/cast.ts';
import { drawnPages } from '../../support/pdf-pages.ts';

const { ada, ben, cleo, sam, clientA, clientB, projectA, projectTwo } = await makeCast();

test.each([
  ['Pacific/Kiritimati', 'Scan 2026-11-22'],
  ['Pacific/Pago_Pago', 'Scan 2026-11-21'],
])('a scan without a name is named by date in %s', async (timeZone, name) => {
  const zoneIs = (zone: string) =>
    db().updateTable('firms').set({ time_zone: zone }).where('company_id', '=', ada.companyId).execute();
  await zoneIs(timeZone);
  await at(Date.parse('2026-11-21T23:30:00Z'), async () => {
    const answer = await scan(ada, `folders/${await freshFolder()}`, filesForm(['1.png', page]));
    expect([((await answer.json()) as { data: Document }).data.name, scanName('en-us', timeZone)]).toEqual([
      `${name}.pdf`,
      name,
    ]);
  });
  await zoneIs('America/New_York');
});

let folders = 0;
const freshFolder = async (): Promise<string> =>
  (
    await createFolder(ada, {
      name: `Folder ${(folders += 1)}`,
      parentId: projectA.id,
      parentType: 'Project',
    })
  ).id;
const scan = (who: Actor | undefined, place: string, form: FormData, query = '') =>
  apiAs(who)('POST', `/api/storage/v1/${place}/scans${query}`, { form });
const refusalOf = async (answer: Response): Promise<unknown> =>
  ((await answer.json()) as { errors: unknown[] }).errors[0];

const PLACE = 'CANARY-PLACE';
/** A photo as a phone takes it: rotated, with a GPS position. */
const fromPhone = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#c8c8be' } })
    .withMetadata({ orientation: 6 })
    .withExif({ IFD0: { Make: PLACE }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '41/1 52/1 0/1' } })
    .jpeg()
    .toBuffer();
const page = await sharp({ create: { width: 30, height: 40, channels: 3, background: '#ffffff' } })
  .png()
  .toBuffer();

async function contentOf({ id }: Document): Promise<Buffer> {
  const [file] = await bytesOf(sam, [id]);
  if (!file) throw new Error('no such document');
  return readAll(file.open());
}

/** The JPEGs in a PDF. */
async function photosIn(bytes: Buffer) {
  const streams = [...bytes.toString('latin1').matchAll(/\/DCTDecode \/Length (\d+) >>\nstream\n/g)];
  return Promise.all(
    streams.map(async ({ index, 0: before, 1: length }) => {
      const { width, height, exif } = await sharp(
        bytes.subarray(index + before.length, index + before.length + Number(length)),
      ).metadata();
      return { width, height, exif };
    }),
  );
}

async function nothingStored(work: () => Promise<unknown>): Promise<void> {
  const [rows, files] = [await everyRow(), await blobFiles()];
  await work();
  expect(await everyRow()).toEqual(rows);
  expect(await blobFiles()).toEqual(files);
}

describe('scanned photos', () => {
  test('photos become one PDF: upright, small, in order, without the place where they were taken', async () => {
    const form = filesForm(['1.jpg', await fromPhone(2600, 1300)], ['2.png', page]);
    form.append('name', 'Rent contract');
    const photo = Buffer.from(await (form.get('file[]') as File).arrayBuffer());
    expect(
      [photo.includes(PLACE), (await sharp(photo).metadata()).orientation],
      'the photo itself is on its side and names a place',
    ).toEqual([true, 6]);
    const answer = await scan(ada, `folders/${await freshFolder()}`, form);
    expect(answer.status).toBe(200);
    const { data } = (await answer.json()) as { data: Document };
    expect(data).toMatchObject({
      name: 'Rent contract.pdf',
      mimeType: 'application/pdf',
      createdBy: 'Ada Amber',
    });
    const bytes = await contentOf(data);
    expect([bytes.includes(PLACE), bytes.includes('Exif')]).toEqual([false, false]);
    expect(await photosIn(bytes)).toEqual([
      { width: 1000, height: 2000 },
      { width: 30, height: 40 },
    ]);
    expect(drawnPages(bytes)).toHaveLength(2);
  });

  test('a scan can be added to a client, a project and the upload folder, under a free name', async () => {
    const names = [];
    for (const place of [`clients/${clientA}`, `projects/${projectA.id}`])
      names.push(
        ((await (await scan(cleo, place, filesForm(['1.png', page]))).json()) as { data: Document }).data,
      );
    const again = async () =>
      (
        (await (
          await scan(sam, `clients/${clientB}`, filesForm(['1.png', page]), '?into=uploads')
        ).json()) as { data: Document }
      ).data;
    names.push(await again(), await again());
    expect(
      names.map(({ name, parent }) => [name.replace(/\d{4}-\d\d-\d\d/, 'DAY'), parent.containerType]),
    ).toEqual([
      ['Scan DAY.pdf', 'Client'],
      ['Scan DAY.pdf', 'Project'],
      ['Scan DAY.pdf', 'Project'],
      ['Scan DAY (1).pdf', 'Project'],
    ]);
  });

  test('a scan with an unusable photo is refused completely, naming the photo', async () => {
    const place = `folders/${await freshFolder()}`;
    const bomb = Buffer.from(page); // declares 8,000 by 8,000 pixels
    bomb.writeUInt32BE(8000, 16);
    bomb.writeUInt32BE(8000, 20);
    bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29);
    const whole = await fromPhone(2600, 1300);
    const broken = whole.subarray(0, whole.length / 2);
    const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
    const named = { code: 'TYPE_NOT_ALLOWED', name: 'IMG_2' };
    await nothingStored(async () => {
      for (const [bytes, refused] of [
        [heic, { ...named, reason: 'HEIC' }],
        [pdf('no photo'), named],
        [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), named],
        [Buffer.from('GIF89a'), named],
        [broken, named],
        [Buffer.alloc(0), named],
        [bomb, { code: 'TOO_LARGE', name: 'IMG_2' }],
        [Buffer.alloc(25_000_001, '\xff\xd8\xff'), { code: 'TOO_LARGE', name: 'IMG_2' }],
      ] as const) {
        expect(
          await refusalOf(await scan(ada, place, filesForm(['IMG_1', page], ['IMG_2', bytes]))),
        ).toMatchObject(refused);
      }
      expect(
        await refusalOf(
          await scan(
            ada,
            place,
            filesForm(...Array.from({ length: 21 }, (_, i) => [`${i}.png`, page] as const)),
          ),
        ),
      ).toMatchObject({ code: 'TOO_LARGE', mostPhotos: 20 });
      expect(await refusalOf(await scan(ada, place, filesForm()))).toMatchObject({ code: 'EMPTY' });
      expect(
        await refusalOf(await apiAs(ada)('POST', `/api/storage/v1/${place}/scans`, { json: {} })),
      ).toMatchObject({ code: 'TYPE_NOT_ALLOWED' });
    });
  });

  test('a scan of more than 100 MB is refused, before it is received if its length is known', async () => {
    const place = `folders/${await freshFolder()}`;
    const answer = await apiAs(ada)('POST', `/api/storage/v1/${place}/scans`, {
      text: '',
      headers: { 'content-type': 'multipart/form-data; boundary=b', 'content-length': '200000000' },
    });
    expect([answer.status, await refusalOf(answer)]).toEqual([
      413,
      { code: 'TOO_LARGE', reason: 'TOO_LARGE', most: 100_000_000 },
    ]);
  });

  test("a scan to somebody else's container answers like one to an unknown container", async () => {
    const place = `folders/${await freshFolder()}`;
    await nothingStored(async () => {
      const nowhere = await seen(await scan(ben, `folders/${newId('folder')}`, filesForm(['1.png', page])));
      expect(nowhere.status).toBe(404);
      for (const [who, where] of [
        [ben, place],
        [ada, `projects/${projectTwo.id}`],
        [ada, `clients/${clientB}`],
        [ada, `folders/${projectA.id}`],
      ] as const) {
        expect(await seen(await scan(who, where, filesForm(['1.png', page])))).toEqual(nowhere);
        expect(
          await seen(await scan(who, where, filesForm(['1.png', page]), '?r=/clientcenter/en-us/documents')),
        ).toEqual(nowhere);
      }
    });
  });

  test('a scan is refused before inspecting its photos if the contact may not add documents or the firm hides scanning', async () => {
    const mine = `folders/${await freshFolder()}`;
    const withAccess = (...settings: Parameters<typeof accessFrom>[1]): Actor => ({
      ...cleo,
      access: accessFrom(undefined, settings),
    });
    const [narrow, hidden] = [
      withAccess({ kind: 'permission', name: 'ShowPreviewB4CCViewer', granted: true }),
      withAccess({ kind: 'control', name: 'HideScanFromDevice', granted: true }),
    ];
    await nothingStored(async () => {
      for (const [who, where] of [
        [narrow, mine],
        [hidden, mine],
        [hidden, `clients/${clientA}`],
      ] as const)
        expect(await refusalOf(await scan(who, where, filesForm(['no photo', 'x'])))).toMatchObject({
          code: 'FORBIDDEN',
        });
    });
  });

  test('a plain scan form redirects to a page with the result, and to no other site', async () => {
    const place = `folders/${await freshFolder()}`;
    const [documents, form] = [
      '/clientcenter/en-us/documents?folder=x',
      '/clientcenter/en-us/documents/scan?folder=x',
    ];
    const send = async (files: FormData, r = documents) => {
      const answer = await scan(ada, place, files, `?${new URLSearchParams({ r, again: form })}`);
      return [
        answer.status,
        answer.headers.get('location'),
        unpackFlash(/flash=([^;]*)/.exec(answer.headers.get('set-cookie') ?? '')?.[1]),
      ];
    };
    expect(await send(filesForm(['1.png', page]))).toMatchObject([
      303,
      documents,
      {
        type: 'success',
        namespace: 'scan',
        key: 'uploaded',
        vars: { name: expect.stringMatching(/^Scan .*\.pdf$/) as unknown },
      },
    ]);
    expect(await send(filesForm(['a.heic', Buffer.from('\0\0\0\x18ftypheic')]))).toMatchObject([
      303,
      form,
      { type: 'danger', key: 'heic', vars: { name: 'a.heic' } },
    ]);
    expect(await send(filesForm())).toMatchObject([303, form, { type: 'danger', key: 'nothing' }]);
    expect(await send(filesForm(['big.jpg', Buffer.alloc(25_000_001, '\xff\xd8\xff')]))).toMatchObject([
      303,
      form,
      { type: 'danger', key: 'tooLarge', vars: { name: 'big.jpg', size: '25 MB' } },
    ]);
    expect(
      await send(filesForm(...Array.from({ length: 21 }, (_, i) => [`${i}.png`, page] as const))),
    ).toMatchObject([303, form, { type: 'danger', key: 'tooMany', vars: { most: 20, size: '100 MB' } }]);
    expect((await send(filesForm(['1.png', page]), 'https://evil.example/'))[1]).toBe('/clientcenter/');
  });
});
