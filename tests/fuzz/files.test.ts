import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import { db } from '#platform/database/database.server.ts';
import { listenAs } from '../support/api.ts';
import { blobFiles, uploadAs, makeCast } from '../support/cast.ts';
import { onPostgres, WHOLE } from '../support/whole.ts';
import { wrongAnywhere } from './contract.ts';
import { hostileText, query, segment } from './hostile.ts';
import { hunt, share, timeFor } from './hunt.ts';
import { answersIn, talk, written, type Exchange } from './wire.ts';

/* Uploads and downloads through a real socket: streams, lengths, disconnects. */

const { ada, clientA, projectA } = await makeCast();
const folder = await createFolder(ada, { name: 'Folder', parentId: projectA.id, parentType: 'Project' });
const document = await uploadAs(ada, folder, 'Tax return.pdf', 'return '.repeat(20_000));
const server = await listenAs(ada);
afterAll(() => server.close());

const BOUNDARIES = [
  'b',
  '----WebKitFormBoundaryabcdef',
  "'()+_,-./:=?",
  'a'.repeat(70),
  'a'.repeat(300),
  ' b',
  '--',
  '\\',
];
const bytes = fc.oneof(
  { weight: 4, arbitrary: fc.constant('%PDF-1.7\nx\n%%EOF\n') },
  { weight: 1, arbitrary: fc.constant(`%PDF-1.7\n${'x'.repeat(200_000)}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '\0',
      'PK\u0003\u0004',
      '\xff\xd8\xff',
      '<script>',
      '\r\n',
      '--b',
      '\r\n--b',
      '\r\n--b-',
      '--b--',
    ),
  },
  { weight: 1, arbitrary: hostileText },
);
const name = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a.pdf', 'Relevé 2025.pdf', '请款单.pdf', 'a b.csv') },
  { weight: 3, arbitrary: hostileText.map((text) => `${text.slice(0, 5000)}.pdf`) },
  { weight: 2, arbitrary: hostileText },
);
const escaped = (text: string): string =>
  text.replace(/["\r\n]/g, (character) => encodeURIComponent(character));
const disposition = fc.tuple(name, hostileText).chain(([file, field]) =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constant(`Content-Disposition: form-data; name="file[]"; filename="${escaped(file)}"`),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        `Content-Disposition: form-data; name="file[]"; filename="${file}"`,
        `Content-Disposition: form-data; name="${field}"; filename="${file}"`,
        `Content-Disposition: form-data; name="file[]"; filename*=UTF-8''${encodeURIComponent(file.toWellFormed())}`,
        `Content-Disposition: form-data; name="file[]"; filename*=x'y'%zz; filename=${file}`,
        `Content-Disposition: form-data; name="file[]"; filename="a.pdf"; filename="${file}"`,
        'Content-Disposition: form-data; name="__proto__"; filename="a.pdf"',
        'Content-Disposition: form-data; filename="a.pdf"',
        `Content-Disposition: attachment; filename="${file}"`,
        'Content-Disposition: form-data; name="file[]"; filename="a.pdf"\r\nContent-Transfer-Encoding: base64',
        'Content-Disposition: form-data; name="file[]"; filename="a.pdf"\r\nContent-Type: multipart/mixed; boundary=c',
        `Content-Type: text/plain; charset=${field}`,
        `X: ${'x'.repeat(100_000)}`,
        `a: b\r\n`.repeat(3000),
        '',
      ),
    },
  ),
);

const form = fc
  .tuple(
    fc.oneof(
      { weight: 6, arbitrary: fc.constant('b') },
      { weight: 1, arbitrary: fc.constantFrom(...BOUNDARIES) },
    ),
    fc.array(fc.tuple(disposition, bytes), { maxLength: 4 }),
    fc.constantFrom('--\r\n', '--\r\n', '--\r\n', '--', '-', '', '\r\n', '--\r\nmore'),
  )
  .map(([boundary, parts, tail]) => ({
    boundary,
    text: `${parts.map(([head, content]) => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`).join('')}--${boundary}${tail}`,
  }));

/** How the length is announced, and whether all of the body is sent. */
const delivery = fc.constantFrom(
  'exact',
  'exact',
  'exact',
  'exact',
  'exact',
  'chunked',
  'chunked',
  'too long',
  'too short',
  'cut',
  'cut and chunked',
  'gzip',
);

const upload: fc.Arbitrary<Exchange> = fc
  .record({
    path: fc.tuple(
      fc.constantFrom(
        `clients/${clientA}`,
        `projects/${projectA.id}`,
        `folders/${folder.id}`,
        `folders/${folder.id}`,
      ),
      query({
        onConflict: fc.constantFrom('fail', 'rename'),
        r: fc.constantFrom('/clientcenter/en-us/documents', 'https://evil.example/'),
      }),
    ),
    form,
    delivery,
    type: fc.oneof(
      { weight: 8, arbitrary: fc.constant('') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'multipart/form-data',
          'multipart/form-data;',
          'multipart/form-data; boundary=',
          'multipart/form-data; boundary="b',
          'multipart/form-data; boundary=b; boundary=c',
          'multipart/mixed; boundary=b',
          'multipart/form-data; boundary=other',
          'application/x-www-form-urlencoded',
          'text/plain',
        ),
      },
    ),
    at: fc.nat(),
    end: fc.constantFrom('wait', 'wait', 'wait', 'half-close', 'disconnect') as fc.Arbitrary<Exchange['end']>,
  })
  .map(({ path: [place, asked], form: { boundary, text }, delivery: how, type, at, end }) => {
    const body = Buffer.from(text);
    const cut = at % (body.length + 1);
    const chunked = how.includes('chunked');
    const length = how === 'too long' ? body.length + 10 : how === 'too short' ? cut : body.length;
    const sent = how.startsWith('cut') ? body.subarray(0, cut) : body;
    const head = written({
      method: 'POST',
      target: `/api/storage/v1/${place}/documents${asked}`,
      version: 'HTTP/1.1',
      headers: [
        ['Host', 'x'],
        [
          'Content-Type',
          type || `multipart/form-data; boundary=${/^[\w-]+$/.test(boundary) ? boundary : `"${boundary}"`}`,
        ],
        chunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(length)],
        ...(how === 'gzip' ? [['Content-Encoding', 'gzip'] as [string, string]] : []),
      ],
      body: '',
    });
    const chunk = (piece: Buffer): Buffer =>
      chunked
        ? Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
        : piece;
    const isWhole = how === 'exact' || how === 'chunked' || how === 'gzip';
    const pieces = [sent.subarray(0, cut), sent.subarray(cut)]
      .filter(({ length: size }) => size > 0)
      .map(chunk);
    return {
      pieces: [head, ...pieces, ...(how === 'chunked' ? [Buffer.from('0\r\n\r\n')] : [])],
      end,
      isWhole,
    };
  });

const RANGES = [
  'bytes=0-0',
  'bytes=0-',
  'bytes=-1',
  'bytes=-0',
  'bytes=5-4',
  'bytes=99999999-',
  'bytes=0-99999999999999999999',
  'bytes=-99999999999999999999',
  'bytes=1-2,5-9',
  'bytes=',
  'bytes=--1',
  'bytes = 0-1',
  'BYTES=0-1',
  'items=0-1',
  'bytes=0x0-0x1',
  'bytes=1e1-',
  'bytes=0-0'.repeat(300),
];
const download: fc.Arbitrary<Exchange> = fc
  .record({
    method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'PUT'),
    id: segment(folder.id),
    documentId: segment(document.id),
    range: fc.oneof(
      fc.constantFrom(...RANGES),
      fc.tuple(fc.nat(), fc.nat()).map(([from, to]) => `bytes=${from % 150_000}-${to % 150_000}`),
    ),
    ifRange: fc.constantFrom('', '', `"${document.sha256}"`, 'W/"x"', '"x', 'Sat, 01 Jan 2000 00:00:00 GMT'),
    end: fc.constantFrom('wait', 'wait', 'wait', 'half-close', 'disconnect') as fc.Arbitrary<Exchange['end']>,
  })
  .map(({ method, id, documentId, range, ifRange, end }) => ({
    pieces: [
      written({
        method,
        target: `/api/storage/v1/folders/${id}/documents/${documentId}`,
        version: 'HTTP/1.1',
        headers: [
          ['Host', 'x'],
          ['Range', range],
          ...(ifRange ? [['If-Range', ifRange] as [string, string]] : []),
        ],
        body: '',
      }),
    ],
    end,
    isWhole: true,
  }));

const print = ({ pieces, end }: Exchange): string =>
  `${end} after ${JSON.stringify(Buffer.concat(pieces).toString('latin1'))}`;

async function trial(exchange: Exchange, seen: Set<number>): Promise<string | undefined> {
  const { bytes: heard } = await talk(server.port, exchange);
  const { answers, trouble } = answersIn(heard);
  for (const { status } of answers) seen.add(status);
  return trouble ?? answers.map(wrongAnywhere).find((wrong) => wrong !== undefined);
}

// the form parser does not depend on the engine
const [uploads, downloads] = [share(0.07, onPostgres && !WHOLE ? 5000 : 10_000), share(0.03, 10_000)];

test(
  'uploads with made-up bodies, lengths and aborts are answered correctly',
  { timeout: timeFor(uploads) },
  async () => {
    const seen = new Set<number>();
    await hunt({
      name: 'uploads',
      requests: uploads,
      arbitrary: upload,
      print,
      trial: (exchange) => trial(exchange, seen),
      atOnce: 8,
    });
    expect([...seen]).toEqual(expect.arrayContaining([200, 303, 409, 415, 422]));
    // An upload sent completely before its sender disconnected may still be stored meanwhile.
    const kept = async () =>
      (await db().selectFrom('documents').select('blob_key').distinct().execute()).length;
    await expect
      .poll(async () => (await blobFiles()).length - (await kept()), {
        message: 'what was refused or cut off left no bytes behind',
      })
      .toBe(0);
  },
);

test(
  'downloads with made-up headers and aborts are answered correctly',
  { timeout: timeFor(downloads) },
  async () => {
    const seen = new Set<number>();
    await hunt({
      name: 'downloads',
      requests: downloads,
      arbitrary: download,
      print,
      trial: (exchange) => trial(exchange, seen),
      atOnce: 8,
    });
    expect([...seen]).toEqual(expect.arrayContaining([200, 206, 404, 416]));
  },
);
