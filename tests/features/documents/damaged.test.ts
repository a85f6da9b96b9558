import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { openShare } from '#features/sharing/sharing/recipient.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { putStored, removeBlob, storedBytes } from '#platform/storage/blobs.server.ts';
import { db } from '#platform/database/database.server.ts';
import { watchLog } from '#platform/monitoring/log.server.ts';
import { scrape } from '#platform/monitoring/metrics.server.ts';
import { apiAs } from '../../support/api.ts';
import { uploadAs, makeCast, startMailServer } from '../../support/cast.ts';

/* Documents whose stored bytes have changed since they were stored. */

const { ada, sam, projectA } = await makeCast();
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
const changed = await uploadAs(sam, projectA, 'Changed.pdf', 'changed');
const missing = await uploadAs(sam, projectA, 'Missing.pdf', 'missing');
const whole = await uploadAs(sam, projectA, 'Whole.pdf', 'whole');

const blobOf = async ({ id }: { id: string }) =>
  (await db()
    .selectFrom('documents')
    .select(['blob_key as key', 'size'])
    .where('document_id', '=', id)
    .executeTakeFirst()) ?? { key: '', size: 0 };
const changedBlob = await blobOf(changed);
const lying = await buffer(storedBytes(changedBlob.key, changedBlob.size, true).bytes);
lying.writeUInt8(lying.readUInt8(5) ^ 1, 5);
await removeBlob(changedBlob.key);
await putStored(changedBlob.key, Readable.from([lying]));
await removeBlob((await blobOf(missing)).key);

const lines: Record<string, unknown>[] = [];
watchLog((level, line) => void lines.push({ level, ...line }));
beforeEach(() => void (lines.length = 0));

const LINK = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const addressOf = ({ id }: { id: string }) => `/api/storage/v1/projects/${projectA.id}/documents/${id}`;
const download = (document: { id: string }, headers: Record<string, string> = {}) =>
  apiAs(ada)('GET', addressOf(document), { headers });

describe('a document whose stored file is damaged', () => {
  test.each([
    ['changed', changed],
    ['missing', missing],
  ])('a damaged document (%s) answers a program with an error code of its own', async (_, document) => {
    const answer = await download(document);
    expect([answer.status, await answer.json()]).toEqual([
      500,
      { errors: [{ code: 'DAMAGED', reason: 'DAMAGED' }] },
    ]);
  });

  test.each([
    ['pt', 'Arquivo danificado', 'pt-BR'],
    ['fr', 'Le fichier enregistré est endommagé', 'fr'],
  ])(
    'the error page of a damaged document is in the language of the referring page (%s)',
    async (lang, title, locale) => {
      const referer = `https://portal.example/clientcenter/${lang}/documents`;
      const answer = await download(changed, { ...LINK, referer, 'accept-language': 'es' });
      const text = await answer.text();
      expect([answer.status, answer.headers.get('content-type')]).toEqual([500, 'text/html; charset=UTF-8']);
      expect(answer.headers.get('content-disposition')).toBeNull();
      expect(text).toContain(`<h1>${title}</h1>`);
      expect(text).toContain(`lang="${locale}`);
    },
  );

  test('the error page of a damaged document is in the language of the browser if the referring page is unknown', async () => {
    const answer = await download(missing, { ...LINK, 'accept-language': 'es-AR,es;q=0.9' });
    expect(await answer.text()).toContain('Este archivo está dañado');
  });

  test('behind a share link too, a damaged document answers with an error page', async () => {
    await mailServer.discard();
    const sharedItems = [
      { containerType: 'Project' as const, containerId: projectA.id, documentId: changed.id },
    ];
    const request = {
      expirationPeriod: 'AfterOneDay' as const,
      overrides: { subject: 'S' },
      recipients: [{ emailAddress: 'x@out.example' }],
      sharedItems,
    };
    await shareDocuments(ada, request, 'en-us');
    const [mail] = await mailServer.deliver();
    const token = /\/share\/([\w-]{43})\b/.exec(mail?.mail.text ?? '')?.[1] ?? '';
    const visit = await openShare(token, undefined, '198.51.100.1');
    const address = `/api/storage/v2/sharing/links/${token}/documents/${changed.id}`;
    const ask = (headers: Record<string, string>) =>
      apiAs(undefined)('GET', address, { headers: { cookie: `visit=${visit}`, ...headers } });
    expect(await (await ask({})).json()).toMatchObject({ errors: [{ code: 'DAMAGED' }] });
    expect(await (await ask(LINK)).text()).toContain('<h1>This file is damaged</h1>');
  });

  test('a damaged document is logged with the key of its blob', async () => {
    await download(changed);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([
      expect.objectContaining({ event: 'blob.damaged', blob: changedBlob.key }),
    ]);
  });

  test('a damaged document is counted once, however often it is requested', async () => {
    for (const document of [changed, missing, changed, whole]) await download(document);
    expect(await scrape()).toMatch(/^portal_blobs_damaged_total 2$/m);
  });

  test('a document damaged behind its beginning breaks off once, then says so before its first byte, until it is repaired', async () => {
    const large = await uploadAs(sam, projectA, 'Large.pdf', 'large '.repeat(50_000));
    const { key, size } = await blobOf(large);
    const sound = await buffer(storedBytes(key, size, true).bytes);
    const broken = Buffer.from(sound);
    broken.writeUInt8(broken.readUInt8(size - 1000) ^ 1, size - 1000);
    const replaceBy = async (bytes: Buffer) => {
      await removeBlob(key);
      await putStored(key, Readable.from([bytes]));
    };
    await replaceBy(broken);
    const first = await download(large);
    expect(first.status).toBe(200);
    await expect(first.arrayBuffer()).rejects.toThrow();
    for (const headers of [LINK, { ...LINK, range: 'bytes=0-99' }]) {
      const again = await download(large, headers);
      expect(again.status).toBe(500);
      expect(await again.text()).toContain('<h1>This file is damaged</h1>');
    }
    await replaceBy(sound);
    const repaired = await download(large);
    expect([repaired.status, (await repaired.arrayBuffer()).byteLength]).toEqual([200, size]);
  });
});

test('an API call never answers with an HTML page', async () => {
  const answer = await download(changed, { accept: '*/*', 'accept-language': 'pt' });
  expect(answer.headers.get('content-type')).toContain('application/json');
});
