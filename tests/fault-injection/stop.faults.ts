import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import http from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { GRACE } from '../support/whole.ts';
import { compare, Ledger, verify } from './support/ledger.ts';
import { contentOf, Person } from './support/person.ts';
import { Portal, until } from './support/portal.ts';
import { report } from './support/report.ts';
import { copyWorld } from './support/world.ts';

const ROUNDS = Number(process.env['TIMES'] ?? 1);

test('on SIGTERM the portal finishes uploads, downloads and archives in flight, accepts nothing new, and exits cleanly', async () => {
  const portal = await Portal.start({ folder: copyWorld(inject('world')) });
  const olivia = await new Person(portal.origin, 'olivia@juniper.example').arrive();
  const ledger = new Ledger();
  const ends: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const large = `w${round}-0-20000000.pdf`;
    const [document] = ledger.noteDocuments(await olivia.uploadAs([large]));
    if (!document) throw new Error('the document was not taken');

    const uploads = Array.from({ length: 5 }, (_, i) => slowUpload(olivia, `w${round}-up-${i}-900000.pdf`));
    const downloads = Array.from({ length: 3 }, () =>
      slowDownload(olivia, `/api/storage/v1/clients/${olivia.clientId}/documents/${document.id}`),
    );
    await Promise.all([...uploads, ...downloads].map(({ underWay }) => underWay));
    await until('the uploads come in', 10_000, () => comingIn(portal) === uploads.length);

    const began = performance.now();
    const ended = portal.end('SIGTERM');
    await until('the portal takes no new connections', 5000, async () => !(await accepts(portal.port)));
    for (const { finish } of [...uploads, ...downloads]) finish();
    for (const { answer } of uploads) ledger.noteDocuments(await answer);
    for (const { answer } of downloads)
      expect((await answer).body.equals(contentOf(large)), 'a download under way comes whole').toBe(true);
    expect(await ended).toEqual({ code: 0, signal: null });
    ends.push(performance.now() - began);
    expect(await verify(portal)).toEqual([]);
    await portal.again();
  }
  expect(ledger.documents).toHaveLength(6 * ROUNDS);
  expect(await compare(olivia, ledger)).toEqual({ lost: [], torn: [], twice: [] });
  report('SIGTERM', {
    rounds: ROUNDS,
    transfers: 8 * ROUNDS,
    failed: 0,
    'ended ms worst': Math.max(...ends),
  });
  expect(Math.max(...ends)).toBeLessThan(30_000 + GRACE);
  expect((await portal.end('SIGTERM')).code).toBe(0);
});

test(
  'clients that never finish do not prevent the portal from exiting within half a minute',
  { timeout: 60_000 },
  async () => {
    const portal = await Portal.start({ folder: copyWorld(inject('world')) });
    const olivia = await new Person(portal.origin, 'olivia@juniper.example').arrive();
    const stalled = slowUpload(olivia, 'w0-0-900000.pdf');
    stalled.answer.catch(() => undefined); // it is aborted
    await stalled.underWay;
    await until('the upload comes in', 10_000, () => comingIn(portal) === 1);
    const began = performance.now();
    expect((await portal.end('SIGTERM')).code).toBe(0);
    const took = performance.now() - began;
    report('SIGTERM with a stalled upload', { 'ended ms': took });
    expect(took).toBeLessThan(30_000 + GRACE);
    expect(await verify(portal)).toEqual([]);
  },
);

const comingIn = (portal: Portal): number =>
  readdirSync(path.join(portal.start.folder, 'data/blobs/incoming')).length;

interface Transfer {
  /** The server has begun to process it. */
  underWay: Promise<void>;
  finish: () => void;
  answer: Promise<{ status: number; headers: Headers; body: Buffer }>;
}

/** An upload of which half is sent, more than is kept in memory; the other half is sent when it may finish. */
function slowUpload(person: Person, name: string): Transfer {
  const bytes = contentOf(name);
  const boundary = 'b0undary';
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file[]"; filename="${name}"\r\nContent-Type: application/pdf\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const request = http.request(`${person.origin}/api/storage/v1/clients/${person.clientId}/documents`, {
    method: 'POST',
    headers: {
      origin: person.origin,
      cookie: person.cookieHeader,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': head.length + bytes.length + tail.length,
    },
  });
  request.write(head);
  const half = bytes.length / 2;
  const underWay = new Promise<void>((resolve) => request.write(bytes.subarray(0, half), () => resolve()));
  return {
    underWay,
    finish: () => void request.end(Buffer.concat([bytes.subarray(half), tail])),
    answer: answerOf(request),
  };
}

/** A download of which the first bytes are read; the rest is read when it may finish. */
function slowDownload(person: Person, path: string): Transfer {
  const request = http.get(new URL(path, person.origin), { headers: { cookie: person.cookieHeader } });
  const started = once(request, 'response') as Promise<[http.IncomingMessage]>;
  const gate = Promise.withResolvers<void>();
  const answer = started.then(async ([response]) => {
    response.pause();
    await gate.promise;
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    return { status: response.statusCode ?? 0, headers: new Headers(), body: Buffer.concat(chunks) };
  });
  return { underWay: started.then(() => undefined), finish: () => gate.resolve(), answer };
}

async function answerOf(
  request: http.ClientRequest,
): Promise<{ status: number; headers: Headers; body: Buffer }> {
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return { status: response.statusCode ?? 0, headers: new Headers(), body: Buffer.concat(chunks) };
}

function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}
