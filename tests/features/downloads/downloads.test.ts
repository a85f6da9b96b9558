import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import { documentsByIds } from '#features/documents/documents/documents.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, filesForm, listenAs, seen } from '../../support/api.ts';
import { CANARY, digestOf, everyRow, uploadAs, makeCast, pdf } from '../../support/cast.ts';

const { ada, ben, sam, clientA, projectA, projectB, projectTwo, documentTwo } = await makeCast();
const content = pdf('0123456789'.repeat(20_000));
const own = await uploadAs(
  sam,
  projectA,
  'Relevé 2025 "final" – إيصال 🥐.pdf'.replaceAll('"', "'"),
  '0123456789'.repeat(20_000),
);
const bens = await uploadAs(ben, projectB, 'of ben.pdf', 'ben');
const url = (containerId: string, id: string, type = 'projects') =>
  `/api/storage/v1/${type}/${containerId}/documents/${id}`;
const download = (headers: Record<string, string> = {}, method = 'GET') =>
  apiAs(ada)(method, url(projectA.id, own.id), { headers });
const size = content.length;

describe('downloads', () => {
  test('a download has exactly the stored bytes, with their type, length, digest and name', async () => {
    const answer = await download();
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(size),
      'accept-ranges': 'bytes',
      etag: `"${digestOf(content)}"`,
    });
    expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
  });

  test('a download is always an attachment, and keeps its name in every script', async () => {
    const { headers } = await download();
    const disposition = headers.get('content-disposition') ?? '';
    expect(disposition).toMatch(/^attachment; /);
    expect(decodeURIComponent(/filename\*=UTF-8''([^;]*)/i.exec(disposition)?.[1] ?? '')).toBe(own.name);
    expect(disposition).toMatch(/filename="[\x20-\x7e]*"/);
    expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect(headers.get('cache-control')).toContain('no-store');
  });

  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-9', 0, 9],
    ['bytes=100-', 100, size - 1],
    ['bytes=-5', size - 5, size - 1],
    [`bytes=${size - 1}-`, size - 1, size - 1],
    [`bytes=10-${size * 2}`, 10, size - 1],
    [`bytes=-${size * 2}`, 0, size - 1],
  ])('a range request returns the requested part: %s', async (range, start, end) => {
    const answer = await download({ range });
    expect([
      answer.status,
      answer.headers.get('content-range'),
      answer.headers.get('content-length'),
    ]).toEqual([206, `bytes ${start}-${end}/${size}`, String(end - start + 1)]);
    expect(Buffer.from(await answer.arrayBuffer()).equals(content.subarray(start, end + 1))).toBe(true);
  });

  test.each([[`bytes=${size}-`], ['bytes=-0'], [`bytes=${size + 5}-${size + 9}`]])(
    'an unsatisfiable range is refused with the size of the file: %s',
    async (range) => {
      const answer = await download({ range });
      expect([answer.status, answer.headers.get('content-range'), await answer.text()]).toEqual([
        416,
        `bytes */${size}`,
        '',
      ]);
    },
  );

  test.each([
    ['bytes=5-2'],
    ['bytes=-'],
    ['bytes=a-b'],
    ['items=0-5'],
    ['bytes=0-1,5-6'],
    ['bytes=99999999999999999999-1'],
  ])('an invalid range is ignored and returns the whole file: %s', async (range) => {
    const answer = await download({ range });
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(size)]);
    await answer.body?.cancel();
  });

  test('a download resumes only if the bytes are the same', async () => {
    const same = await download({ range: 'bytes=5-9', 'if-range': `"${own.sha256}"` });
    const other = await download({ range: 'bytes=5-9', 'if-range': '"another"' });
    expect([same.status, other.status]).toEqual([206, 200]);
    await Promise.all([same.body?.cancel(), other.body?.cancel()]);
  });

  test('a HEAD request returns the same headers without a body', async () => {
    const [head, get] = [await download({}, 'HEAD'), await download()];
    expect([head.status, [...head.headers], await head.text()]).toEqual([200, [...get.headers], '']);
    await get.body?.cancel();
  });

  test('a HEAD request leaves the document unread', async () => {
    const unread = await uploadAs(sam, projectA, 'unread.pdf', 'x');
    await apiAs(ada)('HEAD', url(projectA.id, unread.id));
    expect((await documentsByIds(ada, [unread.id]))[0]?.isReadByClientUser).toBe(false);
    await (await apiAs(ada)('GET', url(projectA.id, unread.id))).body?.cancel();
    expect((await documentsByIds(ada, [unread.id]))[0]?.isReadByClientUser).toBe(true);
  });

  describe('a download in ranges counts as one in audit log, receipts and read marks', () => {
    const tracesOf = async ({ id }: { id: string }) => {
      const entries = await db()
        .selectFrom('audit')
        .select('action')
        .where('target', '=', id)
        .where('action', '=', 'document.download')
        .execute();
      const receipts = await db()
        .selectFrom('receipts')
        .select('number')
        .where('document_id', '=', id)
        .where('kind', '=', 'download')
        .execute();
      return [entries.length, receipts.length, (await documentsByIds(ada, [id]))[0]?.isReadByClientUser];
    };
    const part = async ({ id }: { id: string }, range: string, more: Record<string, string> = {}) => {
      const answer = await apiAs(ada)('GET', url(projectA.id, id), { headers: { range, ...more } });
      await answer.body?.cancel();
      return answer.status;
    };

    test.each([
      ['all but the first byte', [['bytes=1-', 206]]],
      ['the last bytes', [['bytes=-5', 206]]],
      [
        'parts in their order',
        [
          ['bytes=0-0', 206],
          ['bytes=0-9', 206],
          ['bytes=10-', 206],
        ],
      ],
      [
        'the end before the beginning, and again',
        [
          ['bytes=10-', 206],
          ['bytes=0-9', 206],
          ['bytes=10-', 206],
        ],
      ],
      [
        'a range that is not there, then one that is',
        [
          ['bytes=999999-', 416],
          ['bytes=1-', 206],
        ],
      ],
    ] as const)('ranges of one file are recorded as one download: %s', async (_, parts) => {
      const document = await uploadAs(sam, projectA, 'in parts.pdf', 'x'.repeat(100));
      for (const [range, status] of parts) expect(await part(document, range)).toBe(status);
      expect(await tracesOf(document)).toEqual([1, 1, true]);
    });

    test('concurrent ranges of one file are recorded as one download', async () => {
      const document = await uploadAs(sam, projectA, 'at the same moment.pdf', 'x'.repeat(100));
      expect(
        new Set(
          await Promise.all(
            ['bytes=1-', 'bytes=0-9', 'bytes=10-', 'bytes=20-'].map((range) => part(document, range)),
          ),
        ),
      ).toEqual(new Set([206]));
      expect(await tracesOf(document)).toEqual([1, 1, true]);
    });

    test('a whole download after its ranges is recorded as another, whatever its range header', async () => {
      const document = await uploadAs(sam, projectA, 'again.pdf', 'x'.repeat(100));
      for (const range of ['bytes=1-', 'bytes=0-', `bytes=-${document.originalItemSize}`])
        expect(await part(document, range)).toBe(206);
      expect(await part(document, 'bytes=5-', { 'if-range': '"another"' })).toBe(200);
      expect(await tracesOf(document)).toEqual([4, 4, true]);
    });
  });

  test('a download over a real connection returns the same bytes, also after another reader aborted', async () => {
    const server = await listenAs(ada);
    const get = async () => {
      const request = http.get({ port: server.port, path: url(projectA.id, own.id) });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      return { request, response };
    };
    const impatient = await get();
    impatient.request.destroy();
    const { response } = await get();
    expect((await buffer(response)).equals(content)).toBe(true);
    await server.close();
  });
});

describe('downloads of inaccessible documents', () => {
  test('a document of somebody else answers like one that does not exist, byte for byte, and stays unread', async () => {
    const ask = async (containerId: string, id: string, type?: string) =>
      seen(await apiAs(ada)('GET', url(containerId, id, type)));
    const before = await everyRow();
    const unknown = await ask(projectA.id, newId('doc'));
    expect(unknown.status).toBe(404);
    for (const [containerId, id] of [
      [projectB.id, bens.id], // another client's
      [projectTwo.id, documentTwo.id], // another firm's
      [projectA.id, bens.id], // a parent of one's own, somebody else's document
      [projectA.id, documentTwo.id],
      [projectB.id, own.id], // one's own document, somebody else's parent
      [projectTwo.id, own.id],
      [clientA, own.id], // one's own, but not there
      [newId('project'), own.id],
    ] as const) {
      expect(await ask(containerId, id)).toEqual(unknown);
      expect(await ask(containerId, id, 'folders')).toEqual(unknown);
    }
    expect(await everyRow()).toEqual(before);
    expect(JSON.stringify(unknown)).not.toContain(CANARY);
  });

  test('staff of another firm do not find the document', async () => {
    expect((await apiAs(sam)('GET', url(projectTwo.id, documentTwo.id))).status).toBe(404);
  });

  test('a visitor who requests a document is asked to sign in', async () => {
    const answer = await apiAs(undefined)('GET', url(projectA.id, own.id));
    expect([answer.status, await answer.json()]).toEqual([
      401,
      { errors: [{ code: 'UNAUTHENTICATED', reason: 'UNAUTHENTICATED' }] },
    ]);
  });

  test("a document is not found under a container of another kind, even one's own", async () => {
    const folder = await createFolder(ada, { name: 'Kind', parentId: projectA.id, parentType: 'Project' });
    const { id } = await uploadAs(ada, folder, 'a.pdf', 'x');
    expect((await apiAs(ada)('GET', url(folder.id, id, 'folders'))).status).toBe(200);
    expect((await apiAs(ada)('GET', url(folder.id, id, 'projects'))).status).toBe(404);
  });
});

describe('download addresses that name a folder, as in the spec (spec 1 section 7)', () => {
  test('a document of a project and of a client can be downloaded by an address that names its folder', async () => {
    expect((await apiAs(ada)('GET', url(projectA.id, own.id, 'folders'))).status).toBe(200);
    const ofClient = await uploadAs(sam, { id: clientA, containerType: 'Client' }, 'of the client.pdf', 'x');
    expect((await apiAs(ada)('GET', url(clientA, ofClient.id, 'folders'))).status).toBe(200);
  });

  test('documents can be uploaded to a client and a project by an address that names the folder, by authorized people only', async () => {
    const add = (actor: typeof ada, id: string) =>
      apiAs(actor)('POST', `/api/storage/v1/folders/${id}/documents?onConflict=rename`, {
        form: filesForm(['by the spec.pdf', pdf('spec')]),
      });
    const answer = await add(ada, clientA);
    const { data } = (await answer.json()) as { data: { parent: object }[] };
    expect([answer.status, data[0]?.parent]).toMatchObject([200, { id: clientA, containerType: 'Client' }]);
    expect((await add(ada, projectA.id)).status).toBe(200);
    for (const id of [clientA, projectA.id, newId('folder')]) expect((await add(ben, id)).status).toBe(404);
  });
});

test('the constraints list the accepted file types, and none is executable', async () => {
  const { data } = (await (await apiAs(ada)('GET', '/api/storage/v1/documents/constraints')).json()) as {
    data: { convertedTypes: string[]; unconvertedTypes: string[] };
  };
  expect(data.convertedTypes).toContain('pdf');
  expect(
    [...data.convertedTypes, ...data.unconvertedTypes].filter((type) =>
      /^(exe|html?|svg|js|bat|com|msi)$/.test(type),
    ),
  ).toEqual([]);
});
