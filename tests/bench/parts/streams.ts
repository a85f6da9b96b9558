import { once } from 'node:events';
import http from 'node:http';
import type { Options } from '../support/options.ts';
import { scratchFolder, startPortal, type BenchPortal } from '../support/portal.ts';
import { progress } from '../support/progress.ts';
import { median, type Report } from '../support/report.ts';
import { inWorld } from '../support/seed.ts';
import { pause } from '../support/wait.ts';

const PEOPLE = 500;
/** Each has two: of two tabs without Web Locks, or of two devices. */
const EACH = 2;
const IDLE = 60_000;

interface Measured {
  opening: number;
  memory: number;
  cpu: number;
}

/** What open pages cost that are told their counts, while nothing happens. */
export async function streams({ runs }: Options): Promise<Report> {
  const folder = scratchFolder();
  progress(`making ${PEOPLE} people`);
  const { sessions } = inWorld(folder, { do: 'crowd', people: PEOPLE, documents: 1 });
  const measured: Measured[] = [];
  for (let run = 1; run <= runs; run += 1) {
    progress(`${PEOPLE * EACH} streams, ${run}`);
    // through a proxy, as connections of one network are limited
    const portal = await startPortal({ folder, env: { TRUSTED_PROXIES: '127.0.0.1' } });
    measured.push(await measure(portal, sessions));
    await portal.end();
  }
  const of = (what: keyof Measured): number => median(measured.map((one) => one[what]));
  return {
    title: 'Streams of counts',
    how: [
      `${PEOPLE * EACH} streams of ${PEOPLE} people on one process, on SQLite, opened one after the other. Median of ${runs} runs.`,
      'Memory is what the process has resident more than before, with everything that opening them left behind, for each stream. The processor time is that of a minute in which nothing happens: each stream is told its counts three times, and each session is looked at.',
    ],
    tables: [
      {
        title: `${PEOPLE * EACH} open pages`,
        rows: [
          { what: 'memory of a stream', unit: 'kB', figure: of('memory'), reach: [{ most: 40 }] },
          { what: 'processor time of opening one', unit: 'ms', figure: of('opening') },
          { what: 'processor time of an idle minute, of each stream', unit: 'ms', figure: of('cpu') },
        ],
      },
    ],
  };
}

async function measure(portal: BenchPortal, sessions: readonly string[]): Promise<Measured> {
  const [first = ''] = sessions;
  // what the first requests compile and cache is no matter of streams
  for (let times = 0; times < 200; times += 1)
    await fetch(`${portal.address}/api/notifications/v1/stream`, {
      method: 'HEAD',
      headers: { cookie: `sid=${first}` },
    });
  await pause(5000);
  const before = { memory: portal.memory().now, cpu: portal.cpu() };
  const open: http.ClientRequest[] = [];
  for (const token of sessions)
    for (let stream = 0; stream < EACH; stream += 1) open.push(await openOne(portal, token));
  const opening = (portal.cpu() - before.cpu) / open.length;
  await pause(5000);
  const began = portal.cpu();
  await pause(IDLE);
  const cpu = (portal.cpu() - began) / open.length;
  const memory = ((portal.memory().now - before.memory) * 1024) / open.length;
  for (const request of open) request.destroy();
  return { opening, memory, cpu };
}

async function openOne(portal: BenchPortal, token: string): Promise<http.ClientRequest> {
  const request = http.get(`${portal.address}/api/notifications/v1/stream`, {
    headers: { cookie: `sid=${token}` },
    agent: false,
  });
  request.on('error', () => undefined); // it was left
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`A stream was answered ${response.statusCode}.`);
  response.on('error', () => undefined).resume();
  return request;
}
