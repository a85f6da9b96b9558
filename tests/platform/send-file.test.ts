import fs from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { parse } from 'content-disposition';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { watchLog } from '#platform/monitoring/log.server.ts';
import {
  attachment,
  type FileToSend,
  sendFile,
  sendStream,
  parseRange,
} from '#platform/http/send-file.server.ts';

const names = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, '../corpora/names.json'), 'utf8'),
) as { name: string; reasons: string[]; why: string }[];

describe('range requests', () => {
  test.each([
    ['nothing in particular', undefined, 'all'],
    ['the first byte', 'bytes=0-0', { start: 0, end: 0 }],
    ['the first ten', 'bytes=0-9', { start: 0, end: 9 }],
    ['a middle', 'bytes=40-59', { start: 40, end: 59 }],
    ['the last byte by its number', 'bytes=99-99', { start: 99, end: 99 }],
    ['everything from a byte on', 'bytes=40-', { start: 40, end: 99 }],
    ['everything from the start', 'bytes=0-', { start: 0, end: 99 }],
    ['the last ten', 'bytes=-10', { start: 90, end: 99 }],
    ['the last byte', 'bytes=-1', { start: 99, end: 99 }],
    ['the last hundred of a hundred', 'bytes=-100', { start: 0, end: 99 }],
    ['more at the end than there is', 'bytes=-1000', { start: 0, end: 99 }],
    ['more than there is', 'bytes=90-1000', { start: 90, end: 99 }],
    ['more than a number can hold', 'bytes=0-99999999999999999999999999', { start: 0, end: 99 }],
    ['a part after the end', 'bytes=100-', 'unsatisfiable'],
    ['a part far after the end', 'bytes=99999999999999999999999999-', 'unsatisfiable'],
    ['a part from the end to beyond', 'bytes=100-200', 'unsatisfiable'],
    ['the last none', 'bytes=-0', 'unsatisfiable'],
    ['a part that runs backwards', 'bytes=50-40', 'all'],
    ['a part that runs backwards behind the end', 'bytes=200-150', 'all'],
    ['two parts', 'bytes=0-9,20-29', 'all'],
    ['a thousand parts', `bytes=${'0-,'.repeat(1000)}0-`, 'all'],
    ['two parts after a space', 'bytes=0-9, 20-29', 'all'],
    ['no part', 'bytes=', 'all'],
    ['only a dash', 'bytes=-', 'all'],
    ['two dashes', 'bytes=--1', 'all'],
    ['a negative part', 'bytes=-1-5', 'all'],
    ['letters', 'bytes=a-b', 'all'],
    ['a fraction', 'bytes=0.5-9', 'all'],
    ['an exponent', 'bytes=1e1-2e1', 'all'],
    ['hexadecimal digits', 'bytes=0x0-0x9', 'all'],
    ['Arabic digits', 'bytes=٠-٩', 'all'],
    ['a space inside', 'bytes=0 - 9', 'all'],
    ['a space in front', ' bytes=0-9', 'all'],
    ['a line end behind', 'bytes=0-9\n', 'all'],
    ['another unit', 'items=0-9', 'all'],
    ['no unit', '0-9', 'all'],
    ['an empty header', '', 'all'],
  ])('a Range header with %s is parsed: %s', (_, header, wanted) => {
    expect(parseRange(header, 100)).toEqual(wanted);
  });

  test.each(['bytes=0-', 'bytes=0-0', 'bytes=-1', 'bytes=-0', 'bytes=5-9'])(
    'a range of an empty file is unsatisfiable (%s)',
    (header) => {
      expect(parseRange(header, 0)).toBe('unsatisfiable');
    },
  );

  test.each([undefined, '', 'bytes=-', 'bytes=3-1'])(
    'an ignored range returns an empty file completely (%j)',
    (header) => {
      expect(parseRange(header, 0)).toBe('all');
    },
  );

  test('a range beyond 4 GiB is correct', () => {
    const size = 6 * 1024 ** 3;
    expect(parseRange(`bytes=${size - 2}-`, size)).toEqual({ start: size - 2, end: size - 1 });
  });
});

describe('the file name of a download', () => {
  test('a download is always an attachment, and no file name adds a header, a line or a folder', () => {
    for (const { name, why } of names) {
      const header = attachment(name);
      expect(header, why).toMatch(/^attachment; filename[*]?=[\x20-\x7e]+$/);
      expect(() => new Headers({ 'Content-Disposition': header }), why).not.toThrow();
      const stored = String(parse(header).parameters['filename']);
      expect(stored, why).not.toMatch(/[/\\\r\n\0]/);
    }
  });

  test('every file name that the portal stores is sent unchanged', () => {
    for (const { name, why } of names.filter(({ reasons }) => reasons.length === 0))
      expect(parse(attachment(name)).parameters['filename'], why).toBe(name);
  });

  test('a file name that did not pass validation cannot reverse text on the screen', () => {
    for (const { name } of names)
      expect(parse(attachment(name)).parameters['filename']).not.toMatch(/[\p{Bidi_Control}\p{Cc}]/u);
  });

  test('a client that reads only ASCII gets a file name, too', () => {
    for (const { name, reasons, why } of names) {
      const plain = parse(attachment(name), { extended: false }).parameters['filename'];
      expect(plain, why).toMatch(reasons.length === 0 ? /^[\x20-\x7e]+$/ : /^[\x20-\x7e]*$/);
      expect(plain, why).not.toMatch(/[/\\]/);
    }
  });
});

describe('downloads', () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251));
  const ETAG = 'd1g3st';
  let file: FileToSend;
  let server: http.Server;
  let address: string;

  beforeAll(async () => {
    const place = path.join(await mkdtemp(path.join(os.tmpdir(), 'send-file-')), 'file');
    await writeFile(place, bytes);
    file = {
      name: 'Balanço 2026.pdf',
      type: 'application/pdf',
      size: bytes.length,
      etag: ETAG,
      open: (range) => fs.createReadStream(place, range),
    };
    server = http.createServer((incoming, outgoing) => void answer(incoming, outgoing));
    const answer = async (incoming: http.IncomingMessage, outgoing: http.ServerResponse): Promise<void> => {
      const headers = new Headers(
        Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as [string, string]),
      );
      const sent = await sendFile(
        new Request(`http://portal${incoming.url}`, { method: incoming.method ?? 'GET', headers }),
        file,
        incoming.method === 'HEAD' ? undefined : outgoing,
      );
      if (!sent.headers.has('x-hono-already-sent') && !outgoing.headersSent) {
        outgoing.writeHead(sent.status, Object.fromEntries(sent.headers));
        outgoing.end();
      }
    };
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => void server.close());

  /** Sends the same request on the raw response of a server and as a web response. */
  const WAYS = {
    'over the network': (headers: Record<string, string>, method = 'GET') =>
      fetch(address, { method, headers }),
    'as a web response': (headers: Record<string, string>, method = 'GET') =>
      sendFile(new Request('http://portal/', { method, headers }), file, undefined),
  };
  const received = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

  describe.each(Object.entries(WAYS))('%s', (way, get) => {
    test(`a download ${way} contains every byte, as an attachment that cannot run scripts`, async () => {
      const response = await get({});
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'application/pdf',
        'content-length': String(bytes.length),
        'content-disposition': attachment('Balanço 2026.pdf'),
        'content-security-policy': "sandbox; default-src 'none'",
        'cache-control': 'no-store, no-transform',
        'accept-ranges': 'bytes',
        etag: `"${ETAG}"`,
      });
      expect(await received(response)).toEqual(bytes);
    });

    test.each([
      ['bytes=0-0', 0, 0],
      ['bytes=65530-65545', 65_530, 65_545],
      ['bytes=-3', 299_997, 299_999],
      ['bytes=299999-', 299_999, 299_999],
      ['bytes=100000-999999999', 100_000, 299_999],
    ])(`a download ${way} can be resumed (%s)`, async (range, start, end) => {
      const response = await get({ range });
      expect(response.status).toBe(206);
      expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end}/${bytes.length}`);
      expect(response.headers.get('content-length')).toBe(String(end - start + 1));
      expect(await received(response)).toEqual(bytes.subarray(start, end + 1));
    });

    test(`a download ${way} in three ranges is the same file`, async () => {
      const parts = await Promise.all(
        ['bytes=0-99999', 'bytes=100000-199999', 'bytes=200000-'].map(async (range) =>
          received(await get({ range })),
        ),
      );
      expect(Buffer.concat(parts)).toEqual(bytes);
    });

    test(`a download ${way} answers a range after the end with the size of the file`, async () => {
      const response = await get({ range: `bytes=${bytes.length}-` });
      expect(response.status).toBe(416);
      expect(response.headers.get('content-range')).toBe(`bytes */${bytes.length}`);
      expect(await received(response)).toHaveLength(0);
    });

    test(`a download ${way} returns the whole file for several ranges`, async () => {
      const response = await get({ range: 'bytes=0-1,5-6' });
      expect(response.status).toBe(200);
      expect(await received(response)).toEqual(bytes);
    });

    test(`a download ${way} answers HEAD without a body`, async () => {
      const whole = await get({}, 'HEAD');
      expect([whole.status, whole.headers.get('content-length'), (await received(whole)).length]).toEqual([
        200,
        String(bytes.length),
        0,
      ]);
    });

    test(`a download ${way} is resumed only if the file is unchanged`, async () => {
      expect((await get({ range: 'bytes=0-9', 'if-range': `"${ETAG}"` })).status).toBe(206);
      for (const other of ['"another"', `W/"${ETAG}"`, ETAG, 'Wed, 21 Oct 2026 07:28:00 GMT', '""']) {
        const response = await get({ range: 'bytes=5-9', 'if-range': other });
        expect(response.status, other).toBe(200);
        expect(await received(response), other).toEqual(bytes);
      }
    });
  });

  test('a download that cannot be resumed returns everything and offers no ranges', async () => {
    const { etag: _, ...plain } = file;
    const response = await sendFile(
      new Request('http://portal/', { headers: { range: 'bytes=0-9' } }),
      plain,
      undefined,
    );
    expect(response.status).toBe(200);
    expect(response.headers.has('accept-ranges')).toBe(false);
    expect(response.headers.has('etag')).toBe(false);
    expect(await received(response)).toEqual(bytes);
  });

  test('a download of an empty file is empty', async () => {
    const place = path.join(await mkdtemp(path.join(os.tmpdir(), 'send-file-')), 'empty');
    await writeFile(place, '');
    const response = await sendFile(
      new Request('http://portal/'),
      { ...file, size: 0, open: (range) => fs.createReadStream(place, range) },
      undefined,
    );
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '0']);
    expect(await received(response)).toHaveLength(0);
  });

  test('a download aborted by its reader does not affect the server', async () => {
    const req = http.get(address);
    const [response] = (await once(req, 'response')) as [http.IncomingMessage];
    response.destroy();
    await once(response, 'close');
    expect((await fetch(address, { headers: { range: 'bytes=0-9' } })).status).toBe(206);
  });

  test.each([
    ['over the network', true],
    ['as a web response', false],
  ])('a download that cannot start answers with an error (%s)', async (_, isRaw) => {
    const outgoing = new http.ServerResponse(new http.IncomingMessage(new Socket()));
    const gone = { ...file, open: () => fs.createReadStream(path.join(os.tmpdir(), 'no-such-file')) };
    await expect(
      sendFile(new Request('http://portal/'), gone, isRaw ? outgoing : undefined),
    ).rejects.toMatchObject({ code: 'ENOENT' });
    expect(outgoing.headersSent).toBe(false);
  });

  test('a download that fails halfway ends the connection, with one log line', async () => {
    const logged: unknown[] = [];
    watchLog((level, { event, err }) => logged.push([level, event, err]));
    const cause = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
    const broken = {
      ...file,
      open: () =>
        Readable.from(
          (function* () {
            yield bytes.subarray(0, 100_000);
            throw cause;
          })(),
        ),
    };
    const failing = http.createServer((_, outgoing) => {
      void sendFile(new Request('http://portal/'), broken, outgoing);
    });
    await once(failing.listen(0, '127.0.0.1'), 'listening');
    const { port } = failing.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow('terminated');
    failing.close();
    expect(logged).toEqual([['error', 'download.failed', cause]]);
  });

  test('a download whose reader left before it starts is not an error, and its file is closed', async () => {
    const logged: string[] = [];
    watchLog((_, { event }) => logged.push(event));
    const outgoing = new http.ServerResponse(new http.IncomingMessage(new Socket()));
    outgoing.destroy();
    const opened = file.open();
    await sendStream(opened, outgoing);
    expect([opened.destroyed, logged]).toEqual([true, []]);
  });
});
