import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compressWhole } from '#platform/http/compression.server.ts';

const HTML = `<!doctype html><p>${'An invoice of November. '.repeat(200)}</p>`;
const page = (body: BodyInit | null = HTML, headers: Record<string, string> = {}, status = 200): Response =>
  new Response(body, { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers } });
const requestWith = (accept: string | undefined, method = 'GET'): Request =>
  new Request('http://portal/', {
    method,
    headers: accept === undefined ? {} : { 'accept-encoding': accept },
  });

test('a page is compressed as a whole, has its length, and keeps its status and cookies', async () => {
  const headers = new Headers({ 'content-type': 'text/html; charset=utf-8', 'content-length': '7' });
  for (const cookie of ['sid=1; HttpOnly', 'flash=; Max-Age=0']) headers.append('set-cookie', cookie);
  const compressed = await compressWhole(
    requestWith('gzip, deflate, br, zstd'),
    new Response(HTML, { status: 422, headers }),
  );
  const bytes = Buffer.from(await compressed.arrayBuffer());
  expect(brotliDecompressSync(bytes).toString()).toBe(HTML);
  expect(bytes.length).toBeLessThan(HTML.length / 10);
  expect([compressed.status, Object.fromEntries(compressed.headers)]).toMatchObject([
    422,
    { 'content-encoding': 'br', 'content-length': String(bytes.length) },
  ]);
  expect(compressed.headers.getSetCookie()).toEqual(['sid=1; HttpOnly', 'flash=; Max-Age=0']);
});

test.each(['br', 'br;q=0.5', 'gzip;q=1.0, BR ; q=0.01', 'gzip,br'])(
  'a browser that accepts brotli gets it (%s)',
  async (accept) => {
    expect((await compressWhole(requestWith(accept), page())).headers.get('content-encoding')).toBe('br');
  },
);

test.each([
  ['asked for without saying what is accepted', undefined, 'GET', page()],
  ['asked for without brotli', 'gzip, deflate', 'GET', page()],
  ['whose reader refuses brotli', 'gzip, br;q=0', 'GET', page()],
  ['whose reader refuses brotli with three digits', 'br;q=0.000, gzip', 'GET', page()],
  ['asked for by its headers alone', 'br', 'HEAD', page()],
  ['that is compressed already', 'br', 'GET', page(HTML, { 'content-encoding': 'gzip' })],
  ['that is shorter than a packet', 'br', 'GET', page('<p>Short</p>')],
  ['without a body', 'br', 'GET', page(null, {}, 303)],
  ['that is a table for a spreadsheet', 'br', 'GET', page(HTML, { 'content-type': 'text/csv' })],
])('a page %s stays unchanged', async (_, accept, method, response) => {
  const before = await response.clone().text();
  const after = await compressWhole(requestWith(accept, method), response);
  expect([await after.text(), after.status, [...after.headers]]).toEqual([
    before,
    response.status,
    [...response.headers],
  ]);
});

test('a page that fails while it is rendered fails before anything is sent', async () => {
  const broken = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(HTML));
      controller.error(new Error('the database is away'));
    },
  });
  await expect(compressWhole(requestWith('br'), page(broken))).rejects.toThrow('the database is away');
});
