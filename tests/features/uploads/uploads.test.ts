import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import { bytesOf } from '#features/documents/documents/bytes.server.ts';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import { config } from '#platform/runtime/config.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { unpackFlash } from '#platform/http/flash.server.ts';
import { apiAs, filesForm, listenAs, seen } from '../../support/api.ts';
import {
  blobFiles,
  CANARY,
  digestOf,
  everyRow,
  fileOf,
  uploadAs,
  makeCast,
  pdf,
  readAll,
  unlink,
} from '../../support/cast.ts';

const cast = await makeCast();
const { ada, ben, cleo, sam, clientA, clientB, clientTwo, projectA, projectB, projectTwo } = cast;

let folders = 0;
/** A new, empty folder of client A for one test. */
const freshFolder = () =>
  createFolder(ada, { name: `Folder ${(folders += 1)}`, parentId: projectA.id, parentType: 'Project' });

const incoming = (
  place: { id: string },
  name: string,
  bytes: string | Buffer,
  onConflict: 'fail' | 'rename' = 'fail',
) => ({ containerType: 'Folder', containerId: place.id, name, bytes: fileOf(bytes), onConflict }) as const;

const contentOf = async (id: string): Promise<Buffer> => {
  const [file] = await bytesOf(ada, [id]);
  if (!file) throw new Error('no such document');
  return readAll(file.open());
};

const upload = (place: { id: string }, form: FormData, query = '') =>
  apiAs(ada)('POST', `/api/storage/v1/folders/${place.id}/documents${query}`, { form });

interface Answer {
  data: Document[];
  errors: { code: string; reason: string; name: string; suggestion?: string }[];
}

/** Asserts that no row and no bytes were stored. */
async function nothingStored(work: () => Promise<unknown>): Promise<void> {
  const [rows, files] = [await everyRow(), await blobFiles()];
  await work();
  expect(await everyRow()).toEqual(rows);
  expect(await blobFiles()).toEqual(files);
}

describe('uploading a document', () => {
  test('an upload stores exactly the sent bytes and returns their digest', async () => {
    const place = await freshFolder();
    const bytes = Buffer.concat([pdf('large'), Buffer.alloc(3_000_000, 'accounts ')]);
    const stored = await addDocument(ada, {
      ...incoming(place, 'Ledger.pdf', ''),
      bytes: Readable.from([bytes.subarray(0, 3), bytes.subarray(3, 70_000), bytes.subarray(70_000)]),
    });
    expect(stored).toMatchObject({
      name: 'Ledger.pdf',
      sha256: digestOf(bytes),
      originalItemSize: bytes.length,
      mimeType: 'application/pdf',
      documentType: 'pdf',
      createdBy: 'Ada Amber',
      parent: { id: place.id, containerType: 'Folder' },
    });
    expect((await contentOf(stored.id)).equals(bytes)).toBe(true);
  });

  test.each([
    'nfe-1001.xml',
    'expenses-q3.xlsx',
    'engagement-notes.docx',
    'receipt-photo.jpg',
    'password-locked.pdf',
    'trial-balance.csv',
  ])('an upload of a real file is accepted: %s', async (name) => {
    const file = path.join(import.meta.dirname, '../../../src/features/demo/demo/files', name);
    const stored = await addDocument(ada, {
      ...incoming(await freshFolder(), name, ''),
      bytes: createReadStream(file),
    });
    expect(stored.sha256).toBe(digestOf(await readFile(file)));
  });

  test.each([
    ['Relevé 2025 – été.pdf'],
    ['إيصال الصيانة.pdf'],
    ['Grand opening 🥐🎉.pdf'],
    ['پرونده\u200cها.pdf'],
    ["it's 100% (final), really.pdf"],
    [`${'é'.repeat(125)}a.pdf`],
  ])('an upload keeps its file name unchanged: %s', async (name) => {
    const answer = await upload(await freshFolder(), filesForm([name, pdf(name)]));
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as Answer).data.map((document) => document.name)).toEqual([name]);
  });

  test('a decomposed file name, as a Mac sends it, is stored in composed form', async () => {
    expect((await addDocument(ada, incoming(await freshFolder(), 'Releve\u0301.pdf', pdf('x')))).name).toBe(
      'Relev\u00e9.pdf',
    );
  });

  test('contacts and staff upload to the client, a project and a folder', async () => {
    const folder = await freshFolder();
    for (const [containerType, containerId] of [
      ['Client', clientA],
      ['Project', projectA.id],
      ['Folder', folder.id],
    ] as const) {
      for (const actor of [ada, cleo, sam]) {
        const stored = await addDocument(actor, {
          containerType,
          containerId,
          name: `${actor.firstName} was here.pdf`,
          bytes: fileOf(pdf(actor.firstName)),
          onConflict: 'fail',
        });
        expect(stored.parent).toMatchObject({ id: containerId, containerType });
        expect(stored.isReadByClientUser).toBe(!actor.staff);
      }
    }
  });

  test('an upload to another client, another firm or a container of another kind is refused and leaves nothing', async () => {
    await nothingStored(async () => {
      for (const [containerType, containerId] of [
        ['Client', clientB],
        ['Project', projectB.id],
        ['Client', clientTwo],
        ['Project', projectTwo.id],
        ['Folder', projectA.id],
        ['Project', clientA],
        ['Folder', newId('folder')],
      ] as const) {
        await expect(
          addDocument(ada, {
            containerType,
            containerId,
            name: 'mine.pdf',
            bytes: fileOf(pdf('x')),
            onConflict: 'rename',
          }),
        ).rejects.toMatchObject({ code: 'NOT_FOUND' });
      }
    });
  });

  test.each([
    ['', 'TYPE_NOT_ALLOWED'],
    ['setup.exe\u200B', 'TYPE_NOT_ALLOWED'],
    ['invoice.exe\0.pdf', 'TYPE_NOT_ALLOWED'],
    ['certificado.pfx', 'TYPE_NOT_ALLOWED'],
    ['setup.exe', 'TYPE_NOT_ALLOWED'],
    ['invoice.exe.pdf', 'TYPE_NOT_ALLOWED'],
    ['page.html', 'TYPE_NOT_ALLOWED'],
    ['logo.svg', 'TYPE_NOT_ALLOWED'],
    ['no extension', 'TYPE_NOT_ALLOWED'],
    ['x.constructor', 'TYPE_NOT_ALLOWED'],
    ['x.__proto__', 'TYPE_NOT_ALLOWED'],
  ])('an upload named %j is refused with %s', async (name, code) => {
    const place = await freshFolder();
    await nothingStored(() =>
      expect(addDocument(ada, incoming(place, name, pdf('x')))).rejects.toMatchObject({ code }),
    );
  });

  test.each([
    ['../etc.pdf', 'etc.pdf'],
    ['CON.pdf', '_CON.pdf'],
    ['invoice\u202efdp.pdf', 'invoicefdp.pdf'],
    ['a\r\nX-Evil: 1.pdf', 'a X-Evil- 1.pdf'],
    [' .pdf', 'file.pdf'],
    [`${'é'.repeat(126)}.pdf`, `${'é'.repeat(125)}.pdf`],
  ])('an upload named %j is stored as %j', async (name, stored) => {
    const added = await addDocument(ada, incoming(await freshFolder(), name, pdf('x')));
    expect(added.name).toBe(stored);
  });

  test('a picture under the extension of another one is stored under its own', async () => {
    const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(100)]);
    const added = await addDocument(ada, incoming(await freshFolder(), 'IMG-2026.JPG', png));
    expect([added.name, added.mimeType]).toEqual(['IMG-2026.png', 'image/png']);
  });

  test.each([
    ['a web page called PDF', 'a.pdf', '<!doctype html><script>alert(1)</script>', 'TYPE_NOT_ALLOWED'],
    ['a program called PDF', 'a.pdf', Buffer.from('MZ\x90\0\x03\0\0\0', 'latin1'), 'TYPE_NOT_ALLOWED'],
    [
      'a picture with a script in it',
      'a.xml',
      '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
      'TYPE_NOT_ALLOWED',
    ],
    [
      'a large program called PDF',
      'a.pdf',
      Buffer.concat([Buffer.from('\x7fELF', 'latin1'), Buffer.alloc(500_000)]),
      'TYPE_NOT_ALLOWED',
    ],
    ['nothing', 'a.pdf', '', 'EMPTY'],
    ['nothing, called text', 'a.txt', '', 'EMPTY'],
  ])('an upload with %s is refused and leaves nothing', async (_, name, bytes, code) => {
    const place = await freshFolder();
    await nothingStored(() =>
      expect(addDocument(ada, incoming(place, name, bytes))).rejects.toMatchObject({ code }),
    );
  });

  test('an aborted upload leaves nothing', async () => {
    const place = await freshFolder();
    async function* half() {
      yield pdf('half');
      await Promise.resolve();
      throw new Error('the line went dead');
    }
    await nothingStored(() =>
      expect(
        addDocument(ada, { ...incoming(place, 'half.pdf', ''), bytes: Readable.from(half()) }),
      ).rejects.toThrow('the line went dead'),
    );
  });
});

describe('uploads with a name that is taken', () => {
  test('an upload with a taken name is refused with a free name, and its bytes are not stored', async () => {
    const place = await freshFolder();
    await addDocument(ada, incoming(place, 'Statement.pdf', pdf('first')));
    await nothingStored(async () => {
      for (const name of ['Statement.pdf', 'STATEMENT.PDF', 'Ｓtatement.pdf']) {
        await expect(addDocument(cleo, incoming(place, name, pdf('second')))).rejects.toMatchObject({
          code: 'NAME_CONFLICT',
          details: { suggestion: `${name.slice(0, -4)} (1)${name.slice(-4)}` },
        });
      }
    });
    const answer = await upload(place, filesForm(['Statement.pdf', pdf('second')]));
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({
      errors: [
        {
          code: 'NAME_CONFLICT',
          reason: 'NAME_CONFLICT',
          name: 'Statement.pdf',
          suggestion: 'Statement (1).pdf',
        },
      ],
    });
  });

  test('the name suggested for an upload is really free', async () => {
    const place = await freshFolder();
    for (let i = 0; i < 12; i += 1)
      await addDocument(ada, incoming(place, 'a.pdf', pdf(String(i)), 'rename'));
    const refused: unknown = await addDocument(ada, incoming(place, 'a.pdf', pdf('x'))).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ details: { suggestion: 'a (12).pdf' } });
    expect((await addDocument(ada, incoming(place, 'a (12).pdf', pdf('x')))).name).toBe('a (12).pdf');
  });

  test('a name taken in one folder is free in another', async () => {
    await addDocument(ada, incoming(await freshFolder(), 'Same.pdf', pdf('1')));
    expect((await addDocument(ada, incoming(await freshFolder(), 'Same.pdf', pdf('2')))).name).toBe(
      'Same.pdf',
    );
  });

  test.each([
    ['a.pdf'],
    ['100%_sure.pdf'],
    ['back[1].pdf'],
    ['Relevé.pdf'],
    ['Ｆull.pdf'],
    ['ß.pdf'],
    ['archive.tar.gz'],
  ])('an upload gets the next free number on request: %s', async (name) => {
    const place = await freshFolder();
    const bytes = name.endsWith('.gz') ? Buffer.from('\x1f\x8b\x08\0rest', 'latin1') : pdf('x');
    const dot = name.lastIndexOf('.');
    const stored = [];
    for (let i = 0; i < 4; i += 1)
      stored.push((await addDocument(ada, incoming(place, name, bytes, 'rename'))).name);
    expect(stored).toEqual([name, ...[1, 2, 3].map((n) => `${name.slice(0, dot)} (${n})${name.slice(dot)}`)]);
  });

  test('an upload gets the next free number even when its name has the maximum length', async () => {
    const place = await freshFolder();
    const long = `${'a'.repeat(251)}.pdf`;
    const stored = [];
    for (let i = 0; i < 3; i += 1)
      stored.push((await addDocument(ada, incoming(place, long, pdf(String(i)), 'rename'))).name);
    expect(stored).toEqual([long, `${'a'.repeat(247)} (1).pdf`, `${'a'.repeat(247)} (2).pdf`]);
  });

  test('32 concurrent uploads of one name become 32 documents with their own names and contents', async () => {
    const place = await freshFolder();
    const contents = Array.from({ length: 32 }, (_, i) => pdf(`copy ${i}`));
    const stored = await Promise.all(
      contents.map((bytes) => addDocument(ada, incoming(place, 'a.pdf', bytes, 'rename'))),
    );
    const expected = ['a.pdf', ...Array.from({ length: 31 }, (_, i) => `a (${i + 1}).pdf`)];
    expect(stored.map(({ name }) => name).sort()).toEqual(expected.sort());
    for (const [i, document] of stored.entries())
      expect((await contentOf(document.id)).equals(contents[i] ?? Buffer.alloc(0))).toBe(true);
  });

  test('of 32 concurrent API uploads of one name without renaming, one is stored and 31 are refused', async () => {
    const place = await freshFolder();
    const files = await blobFiles();
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, i) => upload(place, filesForm(['b.pdf', pdf(`copy ${i}`)]))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(31).fill(409)]);
    expect(await blobFiles()).toHaveLength(files.length + 1);
  });
});

describe('several files in one form', () => {
  test('each file of a form is stored or refused for its own reason', async () => {
    const place = await freshFolder();
    await uploadAs(ada, { id: place.id, containerType: 'Folder' }, 'taken.pdf', 'x');
    const answer = await upload(
      place,
      filesForm(
        ['good.pdf', pdf('1')],
        ['taken.pdf', pdf('2')],
        ['setup.exe', 'MZ'],
        ['empty.txt', ''],
        ['bad?.pdf', pdf('3')],
        ['page.pdf', '<html>'],
        ['also good.csv', 'a;b\n1;2\n'],
      ),
    );
    expect(answer.status).toBe(200);
    const { data, errors } = (await answer.json()) as Answer;
    expect(data.map(({ name }) => name)).toEqual(['good.pdf', 'bad.pdf', 'also good.csv']);
    expect(errors.map(({ name, code }) => [name, code])).toEqual([
      ['taken.pdf', 'NAME_CONFLICT'],
      ['setup.exe', 'TYPE_NOT_ALLOWED'],
      ['empty.txt', 'EMPTY'],
      ['page.pdf', 'TYPE_NOT_ALLOWED'],
    ]);
  });

  test('files after a large refused file are still stored', async () => {
    const answer = await upload(
      await freshFolder(),
      filesForm(
        ['large.pdf', Buffer.alloc(2_000_000, 'MZ not a pdf ')],
        ['good.pdf', Buffer.concat([pdf('1'), Buffer.alloc(2_000_000, 'x')])],
      ),
    );
    const { data, errors } = (await answer.json()) as Answer;
    expect(data.map(({ name }) => name)).toEqual(['good.pdf']);
    expect(errors.map(({ name, code }) => [name, code])).toEqual([['large.pdf', 'TYPE_NOT_ALLOWED']]);
  });

  test('a form gets its answer even if its only file is large and refused for its content', async () => {
    const answer = await upload(
      await freshFolder(),
      filesForm(['large.pdf', Buffer.alloc(2_000_000, 'MZ not a pdf ')]),
    );
    expect([answer.status, await answer.json()]).toMatchObject([
      415,
      { errors: [{ code: 'TYPE_NOT_ALLOWED', name: 'large.pdf' }] },
    ]);
  });

  test('files of the same name in one form are numbered on request', async () => {
    const answer = await upload(
      await freshFolder(),
      filesForm(['a.pdf', pdf('1')], ['a.pdf', pdf('2')], ['a.pdf', pdf('3')]),
      '?onConflict=rename',
    );
    expect(((await answer.json()) as Answer).data.map(({ name }) => name)).toEqual([
      'a.pdf',
      'a (1).pdf',
      'a (2).pdf',
    ]);
  });

  test('files beyond the limit of one form are reported as refused, not lost', async () => {
    const files = Array.from({ length: 103 }, (_, i) => [`${i}.pdf`, pdf(String(i))] as const);
    const answer = await upload(await freshFolder(), filesForm(...files));
    const { data = [], errors } = (await answer.json()) as Answer;
    expect(data.length + errors.length).toBe(answer.status === 200 ? 103 : 1);
  });

  test("a form to somebody else's folder answers like an unknown folder and stores nothing", async () => {
    for (const type of ['clients', 'projects', 'folders']) {
      const call = async (id: string) =>
        seen(
          await apiAs(ada)('POST', `/api/storage/v1/${type}/${id}/documents`, {
            form: filesForm(['a.pdf', pdf('1')], [`${CANARY}.pdf`, pdf('2')]),
          }),
        );
      const unknown = await call(newId('x'));
      expect(unknown.status).toBe(404);
      await nothingStored(async () => {
        for (const id of [clientB, projectB.id, clientTwo, projectTwo.id])
          expect(await call(id)).toEqual(unknown);
      });
    }
  });

  test('a form without a file is refused', async () => {
    const answer = await upload(await freshFolder(), filesForm());
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    const chosenNothing = await upload(await freshFolder(), filesForm(['', '']));
    expect([chosenNothing.status, await chosenNothing.json()]).toMatchObject([
      422,
      { errors: [{ code: 'EMPTY' }] },
    ]);
  });

  test.each([
    ['application/json'],
    ['multipart/form-data'],
    ['multipart/form-data; boundary='],
    ['multipart/mixed; boundary=x'],
  ])('a body of type %s is refused as a client error', async (type) => {
    const answer = await apiAs(ada)('POST', `/api/storage/v1/projects/${projectA.id}/documents`, {
      text: '--x\r\nnonsense',
      headers: { 'content-type': type },
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });

  test('an upload by a visitor is refused before its body is read', async () => {
    await nothingStored(async () => {
      const answer = await apiAs(undefined)('POST', `/api/storage/v1/projects/${projectA.id}/documents`, {
        form: filesForm(['a.pdf', pdf('1')]),
      });
      expect(answer.status).toBe(401);
    });
  });
});

describe('the plain form without scripts', () => {
  const flashOf = (answer: Response) =>
    unpackFlash(/flash=([^;]*)/.exec(answer.headers.get('set-cookie') ?? '')?.[1]);

  test('the plain form redirects to its page, which shows the result', async () => {
    const place = await freshFolder();
    const one = await upload(
      place,
      filesForm(['a.pdf', pdf('1')]),
      '?r=%2Fclientcenter%2Fen-us%2Fdocuments%3Fpage%3D2',
    );
    expect([one.status, one.headers.get('location')]).toEqual([303, '/clientcenter/en-us/documents?page=2']);
    expect(flashOf(one)).toMatchObject({
      type: 'success',
      key: 'uploadDocumentSuccessAlert',
      vars: { name: 'a.pdf', count: 1 },
    });
    expect(
      flashOf(await upload(place, filesForm(['b.pdf', pdf('1')], ['c.pdf', pdf('2')]), '?r=/clientcenter/')),
    ).toMatchObject({ type: 'success', key: 'uploadDocumentsSuccessAlert', vars: { count: 2 } });
    expect(
      flashOf(await upload(place, filesForm(['d.pdf', pdf('1')], ['a.pdf', pdf('2')]), '?r=/clientcenter/')),
    ).toMatchObject({ type: 'info', items: [{ name: 'a.pdf', codes: ['NAME_CONFLICT'] }] });
    expect(flashOf(await upload(place, filesForm(['x.exe', 'MZ']), '?r=/clientcenter/'))).toMatchObject({
      type: 'danger',
      items: [{ name: 'x.exe', codes: ['TYPE_NOT_ALLOWED'] }],
    });
  });

  test('the plain form without a file redirects to its page as well', async () => {
    const answer = await upload(await freshFolder(), filesForm(['', '']), '?r=/clientcenter/en-us/documents');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/clientcenter/en-us/documents']);
    expect(flashOf(answer)).toMatchObject({ type: 'danger' });
  });

  test('the result of the plain form fits into a cookie, however many files were refused', async () => {
    const answer = await upload(
      await freshFolder(),
      filesForm(...Array.from({ length: 90 }, (_, i) => [`${'ж'.repeat(100)} ${i}.exe`, 'MZ'] as const)),
      '?r=/clientcenter/',
    );
    expect(answer.status).toBe(303);
    expect(answer.headers.get('set-cookie')?.length).toBeLessThan(4096);
    expect(flashOf(answer)?.items.length).toBeGreaterThan(0);
  });

  test.each([
    ['https://evil.example/'],
    ['//evil.example/'],
    ['/\\evil.example'],
    ['javascript:alert(1)'],
    ['/..//evil.example'],
    ['/\t/evil.example'],
    ['/%2Fevil.example'],
    ['https://127.0.0.1:4999@evil.example/'],
    [''],
  ])('the plain form never redirects to another site: r=%s', async (r) => {
    const answer = await upload(
      await freshFolder(),
      filesForm(['a.pdf', pdf('1')]),
      `?r=${encodeURIComponent(r)}`,
    );
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/${config.base}/`]);
  });
});

test('a quote in the name of a file is a quote, however its browser sends the form', async () => {
  const form = filesForm(['Contract "final".pdf', pdf('quoted')]); // which writes %22
  const { data, errors } = (await (await upload(await freshFolder(), form)).json()) as Partial<Answer>;
  const [uploaded] = [...(data ?? []), ...(errors ?? [])];
  expect(uploaded?.name).toMatch(/^Contract ["'\p{Pi}]final["'\p{Pf}]\.pdf$/u);
});

describe('a connection that breaks during an upload', () => {
  test('a broken connection leaves no row and no bytes', async () => {
    const server = await listenAs(ada);
    const place = await freshFolder();
    const [rows, files] = [await everyRow(), await blobFiles()];
    const request = http.request({
      port: server.port,
      method: 'POST',
      path: `/api/storage/v1/folders/${place.id}/documents`,
      headers: { 'content-type': 'multipart/form-data; boundary=edge' },
    });
    request.on('error', () => undefined); // we disconnect ourselves
    request.write(
      `--edge\r\nContent-Disposition: form-data; name="file[]"; filename="cut.pdf"\r\nContent-Type: application/pdf\r\n\r\n`,
    );
    request.write(Buffer.concat([pdf('cut'), Buffer.alloc(6_000_000, 'x')])); // more than the bucket buffers
    await expect.poll(blobFiles).toHaveLength(files.length + 1);
    request.destroy();
    await expect.poll(blobFiles).toEqual(files);
    expect(await everyRow()).toEqual(rows);
    await server.close();
  });

  test('a broken connection keeps the completed files and nothing of the incomplete one', async () => {
    const server = await listenAs(ada);
    const place = await freshFolder();
    const files = await blobFiles();
    const request = http.request({
      port: server.port,
      method: 'POST',
      path: `/api/storage/v1/folders/${place.id}/documents`,
      headers: { 'content-type': 'multipart/form-data; boundary=edge' },
    });
    request.on('error', () => undefined); // we disconnect ourselves
    const part = (name: string) =>
      `--edge\r\nContent-Disposition: form-data; name="file[]"; filename="${name}"\r\n\r\n`;
    request.write(
      part('whole.pdf') + pdf('whole').toString() + `\r\n${part('cut.pdf')}${pdf('cut').toString()}`,
    );
    await expect
      .poll(async () =>
        (await everyRow())['documents']?.some((row) => (row as { name: string }).name === 'whole.pdf'),
      )
      .toBe(true);
    request.destroy();
    await expect.poll(blobFiles).toHaveLength(files.length + 1);
    expect((await everyRow())['documents']?.some((row) => (row as { name: string }).name === 'cut.pdf')).toBe(
      false,
    );
    await server.close();
  });

  test('a broken connection is distinguished from a truncated form, which is refused', async () => {
    const place = await freshFolder();
    await nothingStored(async () => {
      const answer = await apiAs(ada)('POST', `/api/storage/v1/folders/${place.id}/documents`, {
        text: `--edge\r\nContent-Disposition: form-data; name="file[]"; filename="cut.pdf"\r\n\r\n${pdf('cut').toString()}`,
        headers: { 'content-type': 'multipart/form-data; boundary=edge' },
      });
      expect(answer.status).toBe(422);
    });
  });
});

test('an upload is refused when its sender loses the client while it is sent', async () => {
  const files = await blobFiles();
  async function* slow() {
    yield pdf('slow');
    await unlink(clientB, ben);
    yield Buffer.from('the rest');
  }
  await expect(
    addDocument(ben, {
      containerType: 'Project',
      containerId: projectB.id,
      name: 'slow.pdf',
      bytes: Readable.from(slow()),
      onConflict: 'fail',
    }),
  ).rejects.toMatchObject({
    status: expect.toSatisfy((status: number) => status === 403 || status === 404) as number,
  });
  expect(await blobFiles()).toEqual(files);
  expect((await everyRow())['documents']?.some((row) => (row as { name: string }).name === 'slow.pdf')).toBe(
    false,
  );
});
