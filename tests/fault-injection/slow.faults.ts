import { connect, type Socket } from 'node:net';
import { expect, inject, test } from 'vitest';
import { GRACE } from '../support/whole.ts';
import { Ledger, verify } from './support/ledger.ts';
import { contentOf, Person } from './support/person.ts';
import { Portal, turn, until } from './support/portal.ts';
import { report } from './support/report.ts';
import { copyWorld } from './support/world.ts';

const TIMES = Number(process.env['TIMES'] ?? 1);
const DRIBBLERS = 200 * TIMES;
const READERS = 50 * TIMES;
const STALLED = 20 * TIMES;
const LARGE = 'w0-0-20000000.pdf';

test(
  `with ${DRIBBLERS} slow senders of headers, ${READERS} clients that do not read and ${STALLED} that stop sending, others are served, and the slow ones are disconnected within a minute`,
  { timeout: 150_000 },
  async () => {
    const portal = await Portal.start({ folder: copyWorld(inject('world')) });
    const olivia = await new Person(portal.origin, 'olivia@juniper.example').arrive();
    const [document] = new Ledger().noteDocuments(await olivia.uploadAs([LARGE]));
    if (!document) throw new Error('the document was not taken');
    // somebody else: of one person so many requests at once are refused
    const marcus = await new Person(portal.origin, 'marcus@holdings.example').arrive();
    const alone = await servedIn(marcus);
    const [memory, descriptors] = [portal.memory, portal.descriptors];

    const began = performance.now();
    const closedAfter: Record<string, number[]> = { dribblers: [], stalled: [] };
    const open: Socket[] = [];
    const begin = (kind: string, firstBytes: string): Socket => {
      const socket = connect(portal.port, '127.0.0.1');
      socket.on('error', () => undefined); // it is disconnected
      socket.once('close', () => closedAfter[kind]?.push(performance.now() - began));
      socket.write(firstBytes);
      open.push(socket);
      return socket;
    };
    const common = `Host: 127.0.0.1:${portal.port}\r\nOrigin: ${portal.origin}\r\nCookie: ${olivia.cookieHeader}\r\n`;
    const dribblers = Array.from({ length: DRIBBLERS }, () => begin('dribblers', 'GET / HTTP/1.1\r\n'));
    for (let i = 0; i < READERS; i += 1) {
      const socket = begin(
        'readers',
        `GET /api/storage/v1/clients/${olivia.clientId}/documents/${document.id} HTTP/1.1\r\n${common}\r\n`,
      );
      socket.pause(); // and never reads
    }
    const half = contentOf('w0-1-100000.pdf').subarray(0, 50_000).toString('latin1');
    for (let i = 0; i < STALLED; i += 1) {
      begin(
        'stalled',
        `POST /api/storage/v1/clients/${olivia.clientId}/documents HTTP/1.1\r\n${common}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 200000\r\n\r\n--b\r\nContent-Disposition: form-data; name="file[]"; filename="w0-${i}-100000.pdf"\r\n\r\n${half}`,
      );
    }

    let among = 0;
    let most = 0;
    // A client that does not read does not notice the end of the connection either, so the portal's file
    // descriptors are counted.
    const held = (): number => portal.descriptors - descriptors;
    await until('all are connected', 20_000, () => held() > DRIBBLERS + READERS);
    while (held() > 5 && performance.now() - began < 70_000 + GRACE) {
      for (const socket of dribblers) if (!socket.closed && socket.writable) socket.write('X-Dribble: 1\r\n');
      among = Math.max(among, await servedIn(marcus));
      most = Math.max(most, portal.memory);
      await turn(1000);
    }
    const letGo = performance.now() - began;
    const worst = Object.fromEntries(
      Object.entries(closedAfter).map(([kind, times]) => [
        kind,
        times.length === 0 ? Infinity : Math.max(...times) / 1000,
      ]),
    );
    report('slow clients', {
      'served alone ms': alone,
      'served among them ms': among,
      'memory MiB before': memory,
      'memory MiB at most': most,
      ...Object.fromEntries(
        Object.entries(worst).map(([kind, seconds]) => [`${kind} closed after s`, seconds]),
      ),
      'all closed after s': letGo / 1000,
      'still open': Math.max(0, held()),
    });
    const stillHeld = held();
    for (const socket of open) socket.destroy();
    expect(closedAfter['dribblers'], 'who dribbles headers is let go').toHaveLength(DRIBBLERS);
    expect(closedAfter['stalled'], 'who stops sending is let go').toHaveLength(STALLED);
    expect(stillHeld, 'who does not read is let go').toBeLessThanOrEqual(5);
    expect(letGo).toBeLessThan(60_000 + GRACE);
    for (const seconds of Object.values(worst)) expect(seconds).toBeLessThan(60 + GRACE / 1000);
    expect(most - memory, 'memory stays bounded').toBeLessThan(200);
    expect(among, 'the others are served').toBeLessThan(10 * alone + 1000 + GRACE);
    await portal.end('SIGTERM');
    expect(await verify(portal, 2 * 3_600_000), 'what did not come whole left nothing').toEqual([]);
  },
);

/** Milliseconds until somebody else gets their list of documents, the median of five. */
async function servedIn(person: Person): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    const began = performance.now();
    const answer = await person.ask(`/api/storage/v1/containers/documents?clientId=${person.clientId}`);
    expect(answer.status).toBe(200);
    times.push(performance.now() - began);
  }
  return times.toSorted((a, b) => a - b)[2] ?? 0;
}
