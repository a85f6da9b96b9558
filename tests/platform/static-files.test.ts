import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLog } from '#platform/monitoring/log.server.ts';
import { staticFiles } from '#platform/http/static-files.server.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'static-files-'));
let server: http.Server;
let address: string;

beforeAll(async () => {
  mkdirSync(path.join(folder, '_astro'));
  for (const name of ['icons.svg', '_astro/page.h4sh.js', '_astro/page.h4sh.js.br', '_astro/removed.h4sh.js'])
    writeFileSync(path.join(folder, name), `content of ${name}`);
  const files = staticFiles(folder);
  server = http.createServer((request, response) =>
    files(request, response, () => void response.writeHead(418).end()),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const get = (name: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(address + name, { method, headers: { 'Accept-Encoding': 'identity', ...headers } });

test('a file of the build is sent with its type and size, and may be kept', async () => {
  const response = await get('/icons.svg');
  expect([response.status, await response.text()]).toEqual([200, 'content of icons.svg']);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/svg+xml',
    'content-length': '20',
    'cache-control': 'public, max-age=3600',
    etag: expect.stringMatching(/^W\//) as string,
  });
  expect((await get('/icons.svg', { 'If-None-Match': response.headers.get('etag') ?? '' })).status).toBe(304);
  expect((await get('/icons.svg', {}, 'HEAD')).headers.get('content-length')).toBe('20');
});

test('a file with a hash in its name is kept forever, without what revalidates it', async () => {
  const { status, headers } = await get('/_astro/page.h4sh.js');
  expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
  expect([headers.get('etag'), headers.get('last-modified')]).toEqual([null, null]);
});

test('a browser that reads brotli gets the smaller file', async () => {
  const { headers } = await get('/_astro/page.h4sh.js', { 'Accept-Encoding': 'br' }, 'HEAD');
  expect([headers.get('content-encoding'), headers.get('content-length')]).toEqual(['br', '33']);
});

test.each(['bytes=0-3', 'bytes=9-3', 'bytes=a-b'])(
  'a part of a file is answered with all of it (%s)',
  async (range) => {
    const response = await get('/icons.svg', { range });
    expect([response.status, await response.text()]).toEqual([200, 'content of icons.svg']);
  },
);

test('an address that is no file is passed on', async () => {
  expect((await get('/clientcenter')).status).toBe(418);
});

test('a file that was removed after the start is not found, and the next file is sent', async () => {
  const logged: unknown[] = [];
  watchLog((level, { event }) => logged.push([level, event]));
  rmSync(path.join(folder, '_astro/removed.h4sh.js'));
  const response = await get('/_astro/removed.h4sh.js');
  expect([response.status, response.headers.get('cache-control'), await response.text()]).toEqual([
    404,
    'no-store',
    '',
  ]);
  expect((await get('/_astro/removed.h4sh.js', {}, 'HEAD')).status).toBe(404);
  expect((await get('/icons.svg')).status).toBe(200);
  expect(logged).toEqual([
    ['error', 'file.unreadable'],
    ['error', 'file.unreadable'],
  ]);
});
