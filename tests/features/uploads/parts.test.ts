import http from 'node:http';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type fsPromises from 'node:fs/promises';
import { statfs } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Upload } from 'tus-js-client';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { bytesOf } from '#features/documents/documents/bytes.server.ts';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import { giveRole } from '#features/documents/folders/roles.server.ts';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { sweepUploads } from '#features/documents/uploads/parts.server.ts';
import { purgeDocuments, trashDocuments } from '#features/documents/trash/trash.server.ts';
import { documentQuery, type Document } from '#features/documents/documents/documents.ts';
import { MAX_BYTES } from '#features/documents/documents/rules.ts';
import { type OpenUpload, MAX_PART } from '#features/documents/uploads/uploads.ts';
import { decideAccess } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import type * as Blobs from '#platform/storage/blobs.server.ts';
import { readBlob, sweepBlobs } from '#platform/storage/blobs.server.ts';
import { at, DAY, HOUR, now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { apiAs, listenAs, seen } from '../../support/api.ts';
import {
  blobFiles,
  bytesAfter,
  digestOf,
  uploadAs,
  makeCast,
  pdf,
  person,
  readAll,
  standAt,
  unlink,
} from '../../support/cast.ts';

vi.mock('#platform/storage/blobs.server.ts', async (original) => {
  const real = await original<typeof Blobs>();
  return { ...real, readBlob: vi.fn(real.readBlob) };
});
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof fsPromises>();
  return { ...real, statfs: vi.fn(real.statfs) };
});

const actual = await vi.importActual<typeof Blobs>('#platform/storage/blobs.server.ts');
const { ada, ben, cleo, sam, clientA, firmOne, projectA } = await makeCast();
const UPLOADS = '/api/storage/v1/uploads';
const onFiles = config.blobUrl === undefined;

let folders = 0;
const freshFolder = () =>
  createFolder(sam, { name: `Parts ${(folders += 1)}`, parentId: projectA.id, parentType: 'Project' });

const large = (size: number): Buffer =>
  Buffer.concat([pdf('large'), randomBytes(size - pdf('large').length)]);
const encoded = (pairs: Record<string, string>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');

const create = (
  actor: Actor,
  place: { id: string },
  name: string,
  size: number,
  more: Record<string, string> = {},
) =>
  apiAs(actor)('POST', UPLOADS, {
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': String(size),
      'upload-metadata': encoded({ filename: name, containerType: 'Folder', containerId: place.id, ...more }),
    },
  });

async function opened(...args: Parameters<typeof create>): Promise<string> {
  const answer = await create(...args);
  expect([answer.status, await answer.text()]).toEqual([201, '']);
  return answer.headers.get('location') ?? '';
}

const patch = (
  actor: Actor,
  address: string,
  offset: number,
  bytes: Buffer,
  headers: Record<string, string> = {},
) =>
  apiAs(actor)('PATCH', address, {
    ...(bytes.length > 0 && { text: bytes as never }),
    headers: {
      'tus-resumable': '1.0.0',
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(offset),
      ...headers,
    },
  });

const offsetOf = async (actor: Actor, address: string): Promise<string | null> =>
  (await apiAs(actor)('HEAD', address)).headers.get('upload-offset');
const sum = (algorithm: string, of: Buffer) => ({
  'upload-checksum': `${algorithm} ${createHash(algorithm).update(of).digest('base64')}`,
});
const codeOf = async (answer: Response): Promise<[number, string | undefined]> => [
  answer.status,
  ((await answer.json()) as { errors?: { code: string }[] }).errors?.[0]?.code,
];
const storedDocument = async (answer: Response): Promise<Document> => {
  const { data } = (await answer.json()) as { data: Document[] };
  if (!data[0]) throw new Error('nothing was kept');
  return data[0];
};
const drop = async (actor: Actor): Promise<void> => {
  for (const { uploadId } of ((await (await apiAs(actor)('GET', UPLOADS)).json()) as { data: OpenUpload[] })
    .data)
    await apiAs(actor)('DELETE', `${UPLOADS}/${uploadId}`);
};

describe('resumable uploads', () => {
  test('a resumable upload becomes the same document as a single request, with its receipt and audit entry', async () => {
    const place = await freshFolder();
    const bytes = large(9_000_000);
    const address = await opened(ada, place, 'Ledger.pdf', bytes.length);
    expect(address).toMatch(/^\/api\/storage\/v1\/uploads\/upload_[0-9a-f]{32}$/);
    const first = await patch(ada, address, 0, bytes.subarray(0, 5_000_000));
    expect([first.status, first.headers.get('upload-offset'), first.headers.get('tus-resumable')]).toEqual([
      204,
      '5000000',
      '1.0.0',
    ]);
    expect(Date.parse(first.headers.get('upload-expires') ?? '')).toBeGreaterThan(now() + DAY - HOUR);
    const document = await storedDocument(await patch(ada, address, 5_000_000, bytes.subarray(5_000_000)));
    expect(document).toMatchObject({
      name: 'Ledger.pdf',
      sha256: digestOf(bytes),
      originalItemSize: bytes.length,
      parent: { id: place.id },
      isReadByClientUser: true,
    });
    const [file] = await bytesOf(ada, [document.id]);
    expect(file && (await readAll(file.open())).equals(bytes)).toBe(true);
    const receipt = await db()
      .selectFrom('receipts')
      .select(['kind', 'sha256', 'actor'])
      .where('document_id', '=', document.id)
      .execute();
    const trail = await db()
      .selectFrom('audit')
      .select(['action', 'actor'])
      .where('target', '=', document.id)
      .execute();
    expect([receipt, trail]).toEqual([
      [{ kind: 'upload', sha256: document.sha256, actor: ada.contactId }],
      [{ action: 'document.upload', actor: ada.contactId }],
    ]);
    expect(
      await db()
        .selectFrom('upload_parts')
        .selectAll()
        .where('upload_id', '=', address.split('/').at(-1) ?? '')
        .execute(),
    ).toEqual([]);
  });

  test('a part that came to another node is read again for the digest, and all parts are released with the document', async () => {
    await sweepBlobs(Date.now() + HOUR);
    const before = await blobFiles();
    const bytes = large(200_000);
    const address = await opened(ada, await freshFolder(), 'Two nodes.pdf', bytes.length);
    await patch(ada, address, 0, bytes.subarray(0, 1000));
    const blob = await actual.putBlob(Readable.from([bytes.subarray(1000, 90_000)]), MAX_PART);
    await inTransaction(async () => {
      await actual.commitBlob(blob);
      const uploadId = address.split('/').at(-1) ?? '';
      await db()
        .insertInto('upload_parts')
        .values({ upload_id: uploadId, number: 2, size: blob.size, blob_key: blob.key })
        .execute();
      await db()
        .updateTable('uploads')
        .set({ received: 90_000, parts: 2 })
        .where('upload_id', '=', uploadId)
        .execute();
    });
    const document = await storedDocument(await patch(ada, address, 90_000, bytes.subarray(90_000)));
    expect(document.sha256).toBe(digestOf(bytes));
    const [file] = await bytesOf(ada, [document.id]);
    for (const [start, end] of [
      [0, 999],
      [999, 1000],
      [500, 150_000],
      [89_999, 90_000],
      [199_999, 199_999],
    ] as const)
      expect(
        file && (await readAll(file.open({ start, end }))).equals(bytes.subarray(start, end + 1)),
        `bytes ${start} to ${end}`,
      ).toBe(true);
    await sweepBlobs(Date.now() + HOUR);
    expect((await blobFiles()).length - before.length, 'nothing but the parts').toBe(3);
    const place = {
      Id: document.id,
      ContainerType: document.parent.containerType,
      ContainerId: document.parent.id,
    };
    await trashDocuments(ada, { docs: [place], staffUploads: [] });
    await purgeDocuments(sam, [document.id]);
    await sweepBlobs(Date.now() + HOUR);
    expect(await blobFiles()).toEqual(before);
  });

  test('an upload that is given up while its document is created is refused, and leaves nothing', async () => {
    const bytes = large(9000);
    const address = await opened(ada, await freshFolder(), 'Given up.pdf', bytes.length);
    await patch(ada, address, 0, bytes.subarray(0, 8999));
    vi.mocked(readBlob).mockImplementationOnce((key, range) =>
      bytesAfter(
        () => apiAs(ada)('DELETE', address),
        () => actual.readBlob(key, range),
      ),
    );
    expect(await codeOf(await patch(ada, address, 8999, bytes.subarray(8999)))).toEqual([404, 'NOT_FOUND']);
    expect(
      await db().selectFrom('documents').select('name').where('name', '=', 'Given up.pdf').execute(),
    ).toEqual([]);
  });

  test('repeating the final request of a resumable upload returns the same document', async () => {
    const bytes = large(5000);
    const address = await opened(ada, await freshFolder(), 'Once.pdf', bytes.length);
    const [one, two, three] = [
      await storedDocument(await patch(ada, address, 0, bytes)),
      await storedDocument(await patch(ada, address, bytes.length, Buffer.alloc(0))),
      await offsetOf(ada, address),
    ];
    expect([two, three]).toEqual([one, String(bytes.length)]);
  });

  test('a pending resumable upload is listed and can be given up', async () => {
    await drop(ada);
    const place = await freshFolder();
    await sweepBlobs(Date.now() + HOUR);
    const before = await blobFiles();
    const address = await opened(ada, place, 'Wait.pdf', 9000, { lastModified: '1700000000000' });
    await patch(ada, address, 0, large(4500));
    const { data } = (await (await apiAs(ada)('GET', UPLOADS)).json()) as { data: OpenUpload[] };
    expect(data).toMatchObject([
      {
        name: 'Wait.pdf',
        size: 9000,
        offset: 4500,
        lastModified: 1_700_000_000_000,
        containerType: 'Folder',
        containerId: place.id,
        intoUploads: false,
      },
    ]);
    expect((await apiAs(ada)('DELETE', address)).status).toBe(204);
    expect((await apiAs(ada)('HEAD', address)).status).toBe(404);
    await sweepBlobs(Date.now() + HOUR);
    expect(await blobFiles()).toEqual(before);
  });

  test('concurrent resumable uploads are kept apart, also when one is given up', async () => {
    const place = await freshFolder();
    const [one, two, given] = [
      await opened(ada, place, 'One.pdf', 9000),
      await opened(sam, place, 'Two.pdf', 9000),
      await opened(ada, place, 'Given up.pdf', 9000),
    ];
    const bytes = new Map([one, two, given].map((address) => [address, large(9000)]));
    const part = (actor: Actor, address: string, offset: number) =>
      patch(actor, address, offset, bytes.get(address)?.subarray(offset, offset + 4500) ?? Buffer.alloc(0));
    await part(ada, given, 0);
    expect([await offsetOf(ada, one), await offsetOf(sam, two)]).toEqual(['0', '0']);
    await part(ada, one, 0);
    await part(sam, two, 0);
    expect((await apiAs(ada)('DELETE', given)).status).toBe(204);
    expect((await storedDocument(await part(ada, one, 4500))).sha256).toBe(digestOf(bytes.get(one) ?? ''));
    const waiting = async (actor: Actor) =>
      ((await (await apiAs(actor)('GET', UPLOADS)).json()) as { data: OpenUpload[] }).data.map(
        ({ name, offset }) => [name, offset],
      );
    expect([await waiting(ada), await waiting(sam)], 'what is finished waits no more').toEqual([
      [],
      [['Two.pdf', 4500]],
    ]);
    expect((await storedDocument(await part(sam, two, 4500))).sha256).toBe(digestOf(bytes.get(two) ?? ''));
  });

  test('a resumable upload to the upload folder creates that folder with the document', async () => {
    const bytes = large(5000);
    const address = await opened(ada, { id: clientA }, 'Mine.pdf', bytes.length, {
      containerType: 'Client',
      into: 'uploads',
    });
    const document = await storedDocument(await patch(ada, address, 0, bytes));
    expect(document.parent).toMatchObject({ containerType: 'Project', name: 'Uploads' });
    expect(
      await codeOf(await create(ada, await freshFolder(), 'Mine.pdf', 100, { into: 'uploads' })),
    ).toEqual([422, 'INVALID']);
  });

  test('after a connection lost in the middle of a part the upload reports its true offset', async () => {
    const server = await listenAs(ada);
    afterAll(() => server.close());
    const bytes = large(900_000);
    const address = await opened(ada, await freshFolder(), 'Broken.pdf', bytes.length);
    const request = http.request({
      port: server.port,
      host: '127.0.0.1',
      path: address,
      method: 'PATCH',
      headers: {
        'content-type': 'application/offset+octet-stream',
        'upload-offset': '0',
        'content-length': String(bytes.length),
      },
    });
    request.on('error', () => undefined); // aborted on purpose
    request.write(bytes.subarray(0, 300_000));
    await once(request, 'socket');
    const socket = request.socket;
    if (socket?.connecting) await once(socket, 'connect');
    await expect
      .poll(async () => (await blobFiles()).some((file) => file.endsWith('coming in')) || !onFiles)
      .toBe(true);
    request.destroy();
    await expect.poll(async () => Number(await offsetOf(ada, address))).toBeGreaterThan(0);
    const offset = Number(await offsetOf(ada, address));
    const document = await storedDocument(await patch(ada, address, offset, bytes.subarray(offset)));
    expect(document.sha256).toBe(digestOf(bytes));
  });
});

describe('the parts of a resumable upload', () => {
  test('a part at the wrong offset is refused with the current offset', async () => {
    const address = await opened(ada, await freshFolder(), 'Order.pdf', 9000);
    const bytes = large(9000);
    await patch(ada, address, 0, bytes.subarray(0, 5000));
    for (const offset of [0, 4999, 5001]) {
      const answer = await patch(ada, address, offset, bytes.subarray(offset));
      expect([answer.headers.get('upload-offset'), await codeOf(answer)]).toEqual([
        '5000',
        [409, 'OFFSET_MISMATCH'],
      ]);
    }
    const twice = await Promise.all([1, 2].map(() => patch(ada, address, 5000, bytes.subarray(5000, 7000))));
    expect(twice.map(({ status }) => status).sort()).toEqual([204, 409]);
    expect((await storedDocument(await patch(ada, address, 7000, bytes.subarray(7000)))).sha256).toBe(
      digestOf(bytes),
    );
  });

  test('a part is verified against its checksum', async () => {
    const address = await opened(ada, await freshFolder(), 'Sum.pdf', 9000);
    const bytes = large(9000);
    expect(await codeOf(await patch(ada, address, 0, bytes, sum('sha1', pdf('other'))))).toEqual([
      460,
      'CHECKSUM_MISMATCH',
    ]);
    expect(await codeOf(await patch(ada, address, 0, bytes, { 'upload-checksum': 'crc32 AAAA' }))).toEqual([
      422,
      'INVALID',
    ]);
    expect(await offsetOf(ada, address)).toBe('0');
    expect(
      (await patch(ada, address, 0, bytes.subarray(0, 4000), sum('sha256', bytes.subarray(0, 4000)))).status,
    ).toBe(204);
    expect(
      (await patch(ada, address, 4000, bytes.subarray(4000), sum('sha1', bytes.subarray(4000)))).status,
    ).toBe(200);
  });

  test('an upload has at most 2,000 parts', async () => {
    const address = await opened(ada, await freshFolder(), 'Crumbs.pdf', 9000);
    await db()
      .updateTable('uploads')
      .set({ parts: 2000 })
      .where('upload_id', '=', address.split('/').at(-1) ?? '')
      .execute();
    expect(await codeOf(await patch(ada, address, 0, large(300)))).toEqual([413, 'TOO_LARGE']);
    await drop(ada);
  });

  test('a client of the protocol with default settings sends a file in one body, and goes on after a broken connection', async () => {
    const bytes = large(2 * MAX_PART + 1000);
    const address = await opened(ada, await freshFolder(), 'Default.pdf', bytes.length);
    const { port, close } = await listenAs(ada);
    const broken = http.request(`http://127.0.0.1:${port}${address}`, {
      method: 'PATCH',
      headers: {
        'content-type': 'application/offset+octet-stream',
        'content-length': bytes.length,
        'upload-offset': 0,
      },
    });
    broken.on('error', () => undefined);
    const received = async () => Number((await apiAs(ada)('GET', address)).headers.get('upload-offset'));
    broken.write(bytes.subarray(0, MAX_PART + 100_000));
    await expect
      .poll(received, { message: 'the first 8 MiB are kept while the rest is sent' })
      .toBe(MAX_PART);
    broken.destroy();
    const answer = await new Promise<string>((resolve, reject) => {
      new Upload(bytes, {
        endpoint: `http://127.0.0.1:${port}${UPLOADS}`,
        uploadUrl: `http://127.0.0.1:${port}${address}`,
        onError: reject,
        onSuccess: ({ lastResponse }) => resolve(lastResponse.getBody()),
      }).start();
    });
    await close();
    const { data } = JSON.parse(answer) as { data: Document[] };
    expect(data).toMatchObject([{ name: 'Default.pdf', sha256: digestOf(bytes) }]);
  });

  test('a client of the protocol finds out what it may use, and sends the file with its creation', async () => {
    const options = await apiAs(undefined)('OPTIONS', UPLOADS);
    expect(options.status).toBe(204);
    expect(Object.fromEntries(options.headers)).toMatchObject({
      'tus-version': '1.0.0',
      'tus-extension': 'creation,creation-with-upload,expiration,termination,checksum',
      'tus-max-size': String(MAX_BYTES),
    });
    const folder = await freshFolder();
    const { port, close } = await listenAs(ada);
    const send = (bytes: Buffer, filename: string) =>
      new Promise<string>((resolve, reject) => {
        new Upload(bytes, {
          endpoint: `http://127.0.0.1:${port}${UPLOADS}`,
          uploadDataDuringCreation: true,
          retryDelays: [],
          metadata: { filename, containerType: 'Folder', containerId: folder.id },
          onError: reject,
          onSuccess: ({ lastResponse }) => resolve(lastResponse.getBody()),
        }).start();
      });
    const bytes = large(MAX_PART + 1000);
    const { data } = JSON.parse(await send(bytes, 'At once.pdf')) as { data: Document[] };
    expect(data).toMatchObject([{ name: 'At once.pdf', sha256: digestOf(bytes) }]);
    await expect(send(pdf('x'), 'At once.pdf')).rejects.toThrow('NAME_CONFLICT');
    await expect(send(Buffer.from('MZ program'), 'Program.pdf')).rejects.toThrow('TYPE_NOT_ALLOWED');
    await close();
    const open = (await (await apiAs(ada)('GET', UPLOADS)).json()) as { data: OpenUpload[] };
    expect(open.data.map(({ name }) => name)).not.toContain('Program.pdf');
  });

  test('a body is limited to the announced size, and to 8 MiB with a checksum, with and without a Content-Length', async () => {
    const address = await opened(ada, await freshFolder(), 'Part.pdf', MAX_PART + 10);
    const bytes = large(MAX_PART + 11);
    const length = (body: Buffer) => ({ 'content-length': String(body.length) });
    expect(await codeOf(await patch(ada, address, 0, bytes, length(bytes)))).toEqual([413, 'TOO_LARGE']);
    const summed = bytes.subarray(0, MAX_PART + 1);
    const checksum = sum('sha256', summed);
    const refused = await codeOf(await patch(ada, address, 0, summed, { ...checksum, ...length(summed) }));
    expect(refused).toEqual([413, 'TOO_LARGE']);
    expect(await codeOf(await patch(ada, address, 0, summed, checksum))).toEqual([460, 'CHECKSUM_MISMATCH']);
    expect((await patch(ada, address, 0, bytes.subarray(0, MAX_PART))).status).toBe(204);
    expect(await codeOf(await patch(ada, address, MAX_PART, randomBytes(11)))).toEqual([413, 'TOO_LARGE']);
    expect((await patch(ada, address, MAX_PART, randomBytes(10))).status).toBe(200);
  });

  test.each([
    ['another version of the protocol', { 'tus-resumable': '0.2.2' }, 412, 'STALE'],
    ['another type', { 'content-type': 'application/json' }, 415, 'TYPE_NOT_ALLOWED'],
    ['no offset', { 'upload-offset': 'x' }, 422, 'INVALID'],
  ])('a part with %s is refused', async (_, headers, status, code) => {
    const address = await opened(ada, await freshFolder(), 'Odd.pdf', 9000);
    expect(await codeOf(await patch(ada, address, 0, large(300), headers))).toEqual([status, code]);
    await drop(ada);
  });
});

describe('the limits of resumable uploads', () => {
  test.each([
    ['a.exe', 100, 415, 'TYPE_NOT_ALLOWED'],
    ['a.pfx', 100, 415, 'TYPE_NOT_ALLOWED'],
    ['a.pdf', 0, 422, 'EMPTY'],
    ['a.pdf', MAX_BYTES + 1, 413, 'TOO_LARGE'],
  ])(
    'an upload announced as %s with %i bytes is refused before a byte is sent',
    async (name, size, status, code) => {
      expect(await codeOf(await create(ada, await freshFolder(), name, size))).toEqual([status, code]);
    },
  );

  test('the content of a resumable upload is inspected as soon as it arrives, and nothing of a refused one stays', async () => {
    const place = await freshFolder();
    const [short, long] = [
      await opened(ada, place, 'web.pdf', 3000),
      await opened(ada, place, 'long.pdf', 9000),
    ];
    expect(await codeOf(await patch(ada, long, 0, Buffer.alloc(5000, '<script>')))).toEqual([
      415,
      'TYPE_NOT_ALLOWED',
    ]);
    expect((await patch(ada, short, 0, Buffer.alloc(1000, '<script>'))).status).toBe(204);
    expect(await codeOf(await patch(ada, short, 1000, Buffer.alloc(2000, '<script>')))).toEqual([
      415,
      'TYPE_NOT_ALLOWED',
    ]);
    for (const address of [short, long]) expect((await apiAs(ada)('HEAD', address)).status).toBe(404);
  });

  test('a file of exactly the maximum size can be announced', async () => {
    expect((await create(ada, await freshFolder(), 'most.pdf', MAX_BYTES)).status).toBe(201);
    await drop(ada);
  });

  test('a person can have ten open uploads, each counting until it ends', async () => {
    const place = await freshFolder();
    const eve = await person(firmOne, 'Eve Elm', 'eve@one.example', { role: 'member' });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => create(eve, place, `${i}.pdf`, 5000)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(10).fill(201), 429, 429]);
    const [given = '', finished = ''] = answers.flatMap(({ headers }) => headers.get('location') ?? []);
    await apiAs(eve)('DELETE', given);
    await patch(eve, finished, 0, large(5000));
    expect([
      (await create(eve, place, 'again.pdf', 5000)).status,
      (await create(eve, place, 'once more.pdf', 5000)).status,
      (await create(eve, place, 'too many.pdf', 5000)).status,
    ]).toEqual([201, 201, 429]);
    expect(
      (await at(now() + DAY + 1, () => create(eve, place, 'tomorrow.pdf', 5000))).status,
      'those whose time is over count no more',
    ).toBe(201);
    await drop(eve);
  });

  test('space is reserved for all announced uploads, in order, and released afterwards', async () => {
    await db().deleteFrom('upload_parts').execute();
    await db().deleteFrom('uploads').execute();
    const place = await freshFolder();
    const room = 10_000_000;
    const floor = 50_000_000;
    vi.mocked(statfs).mockResolvedValue({ bavail: room + floor, blocks: floor * 20, bsize: 1 } as Awaited<
      ReturnType<typeof statfs>
    >);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => create(i % 2 ? ada : sam, place, `${i}.pdf`, 1_000_000)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(onFiles ? 10 : 20).fill(201),
      ...Array<number>(onFiles ? 10 : 0).fill(507),
    ]); // a bucket has no size limit
    for (const actor of [ada, sam]) await drop(actor);
    await patch(ada, await opened(ada, place, 'finished.pdf', 9000), 0, large(9000));
    expect((await create(ada, place, 'now.pdf', 10_000_000)).status).toBe(201);
    await drop(ada);
    vi.mocked(statfs).mockReset();
  });
});

describe('names that are taken', () => {
  test('announcing an upload with a taken name is refused with a free name', async () => {
    const place = await freshFolder();
    await uploadAs(ada, { id: place.id, containerType: 'Folder' }, 'Taken.pdf', 'x');
    const answer = await create(ada, place, 'taken.pdf', 5000);
    expect([answer.status, await answer.json()]).toMatchObject([
      409,
      { errors: [{ code: 'NAME_CONFLICT', suggestion: 'taken (1).pdf' }] },
    ]);
    expect((await create(ada, place, 'taken.pdf', 5000, { onConflict: 'rename' })).status).toBe(201);
  });

  test('an upload whose name was taken while it was sent is stored under another name', async () => {
    const place = await freshFolder();
    const bytes = large(9000);
    const address = await opened(ada, place, 'Race.pdf', bytes.length);
    await patch(ada, address, 0, bytes.subarray(0, 5000));
    await uploadAs(cleo, { id: place.id, containerType: 'Folder' }, 'Race.pdf', 'faster');
    const refused = await patch(ada, address, 5000, bytes.subarray(5000));
    expect([refused.status, await refused.json()]).toMatchObject([
      409,
      { errors: [{ code: 'NAME_CONFLICT', suggestion: 'Race (1).pdf' }] },
    ]);
    expect(await offsetOf(ada, address)).toBe('9000');
    expect(
      await codeOf(
        await patch(ada, address, 9000, Buffer.alloc(0), {
          'upload-metadata': encoded({ filename: 'Race.exe' }),
        }),
      ),
    ).toEqual([422, 'BAD_NAME']);
    const document = await storedDocument(
      await patch(ada, address, 9000, Buffer.alloc(0), {
        'upload-metadata': encoded({ filename: 'Race (1).pdf' }),
      }),
    );
    expect(document).toMatchObject({ name: 'Race (1).pdf', sha256: digestOf(bytes) });
  });

  test('an upload completed concurrently by another node creates no second document', async () => {
    const [place, bytes] = [await freshFolder(), large(9000)];
    const [address, finished] = [
      await opened(ada, place, 'Ends twice.pdf', bytes.length),
      await uploadAs(ada, { id: place.id, containerType: 'Folder' }, 'Ended there.pdf', 'x'),
    ];
    await patch(ada, address, 0, bytes.subarray(0, 8999));
    const endsThere = () =>
      db()
        .updateTable('uploads')
        .set({ document_id: finished.id })
        .where('upload_id', '=', address.split('/').at(-1) ?? '')
        .execute();
    vi.mocked(readBlob).mockImplementationOnce((key, range) =>
      bytesAfter(endsThere, () => actual.readBlob(key, range)),
    );
    expect((await storedDocument(await patch(ada, address, 8999, bytes.subarray(8999)))).id).toBe(
      finished.id,
    );
    expect(
      (await listDocuments(ada, clientA, documentQuery.parse({ parentIds: place.id }))).items.map(
        ({ name }) => name,
      ),
    ).toEqual(['Ended there.pdf']);
  });

  test('completing an upload twice at the same moment creates one document', async () => {
    const bytes = large(9000);
    const address = await opened(ada, await freshFolder(), 'Twice.pdf', bytes.length);
    await patch(ada, address, 0, bytes.subarray(0, 8999));
    await patch(ada, address, 8999, bytes.subarray(8999));
    const [one, two] = await Promise.all(
      [1, 2].map(async () => storedDocument(await patch(ada, address, 9000, Buffer.alloc(0)))),
    );
    expect(one?.id).toBe(two?.id);
  });
});

describe('access to resumable uploads', () => {
  test("nobody else finds somebody's upload, neither other contacts of the client nor staff", async () => {
    const address = await opened(ada, await freshFolder(), 'Own.pdf', 9000);
    for (const actor of [ben, cleo, sam]) {
      for (const method of ['GET', 'HEAD', 'DELETE'])
        expect(await seen(await apiAs(actor)(method, address))).toEqual(
          await seen(await apiAs(actor)(method, `${UPLOADS}/upload_${'0'.repeat(32)}`)),
        );
      expect(await codeOf(await patch(actor, address, 0, large(300)))).toEqual([404, 'NOT_FOUND']);
      expect(
        ((await (await apiAs(actor)('GET', UPLOADS)).json()) as { data: OpenUpload[] }).data.some(
          ({ name }) => name === 'Own.pdf',
        ),
      ).toBe(false);
    }
  });

  test('an upload by somebody who lost the right to add is refused at the end, and its bytes are removed', async () => {
    const place = await freshFolder();
    const dora = await person(firmOne, 'Dora Dill', 'dora@one.example');
    await db()
      .insertInto('client_contacts')
      .values({ client_id: clientA, contact_id: dora.contactId })
      .execute();
    const bytes = large(9000);
    const address = await opened(dora, place, 'Late.pdf', bytes.length);
    await patch(dora, address, 0, bytes.subarray(0, 5000));
    await decideAccess(firmOne, dora.contactId, { kind: 'permission', name: 'ShowPreviewB4CCViewer' }, true);
    const limited = {
      ...dora,
      access: {
        ...dora.access,
        permissions: new Set([...dora.access.permissions, 'ShowPreviewB4CCViewer' as const]),
      },
    };
    expect(await codeOf(await patch(limited, address, 5000, bytes.subarray(5000)))).toEqual([
      403,
      'FORBIDDEN',
    ]);
    expect((await apiAs(dora)('HEAD', address)).status).toBe(404);
    await giveRole(sam, place.id, dora.contactId, 'Owner');
    const again = await opened(limited, place, 'Late.pdf', bytes.length);
    await unlink(clientA, dora);
    expect(await codeOf(await patch(limited, again, 0, bytes.subarray(0, 9000)))).toEqual([404, 'NOT_FOUND']);
    expect(
      await db().selectFrom('uploads').selectAll().where('contact_id', '=', dora.contactId).execute(),
    ).toEqual([]);
  });

  test('an upload expires a day after its last part, and its bytes are removed', async () => {
    const address = await opened(ada, await freshFolder(), 'Slow.pdf', 9000);
    standAt(now() + 20 * HOUR);
    await patch(ada, address, 0, large(4500));
    standAt(now() + 20 * HOUR);
    await sweepUploads();
    expect(await offsetOf(ada, address)).toBe('4500');
    standAt(now() + 5 * HOUR);
    expect((await apiAs(ada)('HEAD', address)).status).toBe(404);
    await sweepUploads();
    expect(
      await db()
        .selectFrom('upload_parts')
        .selectAll()
        .where('upload_id', '=', address.split('/').at(-1) ?? '')
        .execute(),
    ).toEqual([]);
    expect(await db().selectFrom('uploads').selectAll().where('expires_at', '<', now()).execute()).toEqual(
      [],
    );
  });
});
