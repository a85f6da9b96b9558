import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startOwnPostgres, startS3 } from '../../scripts/services.mjs';
import { GRACE } from '../support/whole.ts';
import { Person } from './support/person.ts';
import { Portal, turn, until, type Start } from './support/portal.ts';
import { startMailServer } from './support/mail-server.ts';
import { report } from './support/report.ts';

/* Two nodes that share one PostgreSQL, one S3 server and their key. */

let postgres: Awaited<ReturnType<typeof startOwnPostgres>>;
let s3: Awaited<ReturnType<typeof startS3>>;
let start: Start;
let office: Awaited<ReturnType<typeof startMailServer>>;
let nodes: [Portal, Portal];

beforeAll(async () => {
  [postgres, s3] = await Promise.all([startOwnPostgres(), startS3()]);
  office = await startMailServer();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-faults-'));
  const services = { DATABASE_URL: postgres.url, BLOB_URL: s3.url, SMTP_URL: office.url };
  start = { folder, env: { ...services, LOG_LEVEL: 'warn' } };
  nodes = [await Portal.start(start), await Portal.start(start)];
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.end('SIGTERM')));
  await office.close();
  await Promise.all([postgres.stop(), s3.stop()]);
});

const SECONDS = Number(process.env['TIMES'] ?? 4);

interface Rate {
  perSecond: number;
  refused: number;
  /** The fewest and the most that one writer did. */
  least: number;
  most: number;
  worst: number;
}

/** Makes folders with this many writers, in turn at both nodes, and measures them. */
async function measure(people: readonly Person[], writers: number): Promise<Rate> {
  const end = performance.now() + SECONDS * 1000;
  const done = new Array<number>(writers).fill(0);
  let refused = 0;
  let worst = 0;
  await Promise.all(
    done.map(async (_, writer) => {
      const person = people[writer % people.length] as Person;
      for (let count = 0; performance.now() < end; count += 1) {
        const began = performance.now();
        const { status } = await person.makeFolder(`${writers} ${writer} ${count} ${began}`);
        worst = Math.max(worst, performance.now() - began);
        if (status === 200) done[writer] = (done[writer] ?? 0) + 1;
        else refused += 1;
      }
    }),
  );
  const total = done.reduce((sum, one) => sum + one, 0);
  return { perSecond: total / SECONDS, refused, least: Math.min(...done), most: Math.max(...done), worst };
}

test(
  'sixteen writers of one firm on two nodes are all served, and as many acts are done as with two writers',
  { timeout: 240_000 },
  async () => {
    const people = await Promise.all(
      nodes.map((node) => new Person(node.origin, 'olivia@juniper.example').arrive()),
    );
    await measure(people, 2); // what is compiled at first use
    const rates: Record<number, Rate> = {};
    for (const writers of [1, 2, 8, 16]) rates[writers] = await measure(people, writers);
    report(
      'writers of one firm on two nodes',
      Object.fromEntries(
        Object.entries(rates).map(([writers, { perSecond, refused, least, most, worst }]) => [
          `${writers} writers`,
          `${perSecond.toFixed(1)}/s, ${refused} refused, ${least}-${most} each, worst ${Math.round(worst)} ms`,
        ]),
      ),
    );
    expect([rates[8]?.refused, rates[16]?.refused]).toEqual([0, 0]);
    // one at a time, either way: what differs is the load of the machine
    expect(rates[8]?.perSecond).toBeGreaterThan((rates[2]?.perSecond ?? 0) * (GRACE === 0 ? 0.9 : 0.5));
    expect(rates[16]?.least, 'no writer is left out').toBeGreaterThan(0);
  },
);

test(
  'the work of a node that is killed goes on at the other within five seconds',
  { timeout: 120_000 },
  async () => {
    const [first, second] = nodes;
    const olivia = await new Person(first.origin, 'olivia@juniper.example').arrive();
    const uploaded = await olivia.uploadAs(['w0-0-100.pdf']);
    const [document] = (JSON.parse(uploaded.body.toString()) as { data: { id: string }[] }).data;
    const recipients = Array.from({ length: 12 }, (_, number) => `r${number}@supplier.example`);
    const item = { id: document?.id ?? '', containerId: olivia.clientId, containerType: 'Client' };
    expect((await olivia.share(item, recipients, 'Figures')).status).toBe(200);
    await turn(60);
    await first.end('SIGKILL');
    const took = await until('every mail is delivered', 5000, () =>
      recipients.every((email) => office.delivered.some(({ to }) => to === email)),
    );
    report('a node is killed while it sends', { 'all sent after ms': took });
    expect((await fetch(`${second.origin}/readyz`)).status).toBe(200);
    await first.again();
  },
);

test.each([
  ['two days ahead', 2 * 86_400_000],
  ['five minutes ahead', 300_000],
  ['an hour behind', -3_600_000],
])(
  'a node whose clock is %s is not ready, and ends no session, no upload and no job of the others',
  { timeout: 180_000 },
  async (_name, ahead) => {
    const [first] = nodes;
    const olivia = await new Person(first.origin, 'olivia@juniper.example').arrive();
    const uploaded = await olivia.uploadAs([`w1-${ahead}-100.pdf`]);
    const [document] = (JSON.parse(uploaded.body.toString()) as { data: { id: string }[] }).data;
    const item = { id: document?.id ?? '', containerId: olivia.clientId, containerType: 'Client' };
    const begun = await olivia.ask('/api/storage/v1/uploads', {
      method: 'POST',
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '1000',
        'upload-metadata': Object.entries({
          filename: `Half ${ahead}.pdf`,
          containerType: 'Client',
          containerId: olivia.clientId,
        })
          .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
          .join(','),
      },
    });
    expect(begun.status).toBe(201);
    const upload = new URL(begun.headers.get('location') ?? '', first.origin).pathname;

    const env: Record<string, string> = { ...start.env, FAULTS_CLOCK: String(ahead) };
    const wrongly: Start = { ...start, env, preload: ['clock-preload.ts'], readyStatus: 503 };
    const { BLOB_URL: _s3, ...withoutS3 } = env;
    // S3 itself refuses such a clock, and the node does not start: it is tried with files, too
    if (Math.abs(ahead) > 900_000)
      await expect(Portal.start(wrongly)).rejects.toThrow(
        'The file store (BLOB_URL) refuses the time of this machine. Set its clock by NTP, and start again.',
      );
    const wrong = await Portal.start({ ...wrongly, env: Math.abs(ahead) > 900_000 ? withoutS3 : env });
    expect(await (await fetch(`${wrong.origin}/readyz`)).text()).toContain('Set both by NTP');
    const there = new Person(wrong.origin, olivia.email);
    for (const [name, value] of olivia.cookies) there.cookies.set(name, value);
    there.clientId = olivia.clientId;
    const recipients = (from: string) =>
      Array.from({ length: 6 }, (_item, n) => `${from}${n}.${ahead}@supplier.example`);
    expect((await olivia.share(item, recipients('right'), 'Figures')).status).toBe(200);
    expect((await there.share(item, recipients('wrong'), 'Figures')).status).toBe(200);
    const all = [...recipients('right'), ...recipients('wrong')];
    const took = await until('every mail is delivered, those that the wrong node queued too', 10_000, () =>
      all.every((email) => office.delivered.some(({ to }) => to === email)),
    );
    await turn(9000); // its sweeps and leases would have run
    report(`a node whose clock is ${ahead / 1000} s off`, { 'all sent after ms': took });
    for (const email of all)
      expect(
        office.delivered.filter(({ to }) => to === email),
        email,
      ).toHaveLength(1);
    for (const person of [olivia, there]) {
      expect((await person.ask('/api/security/v1/session')).status).toBe(200);
      expect((await person.ask(upload)).status).toBe(200);
    }
    await wrong.end('SIGTERM');
    expect((await olivia.ask('/api/security/v1/session')).status).toBe(200);
  },
);

test(
  'a node that stops says so before it closes, and ends within twenty seconds',
  { timeout: 120_000 },
  async () => {
    const [first] = nodes;
    const began = performance.now();
    const ended = first.end('SIGTERM');
    await until('it says that it is not ready', 2000, () =>
      fetch(`${first.origin}/readyz`).then(
        ({ status }) => status === 503,
        () => false,
      ),
    );
    expect((await ended).code).toBe(0);
    const took = performance.now() - began;
    report('SIGTERM right after a start', { 'ended ms': took });
    expect(took).toBeLessThan(20_000 + GRACE);
    await first.again();
  },
);
