import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { startOwnPostgres } from '../../../scripts/services.mjs';
import { visit } from '../support/browser.ts';
import { ask, fire } from '../support/load.ts';
import type { Options } from '../support/options.ts';
import { portalEnvironment, scratchFolder, startPortal } from '../support/portal.ts';
import { progress } from '../support/progress.ts';
import { median, type Report, type Row } from '../support/report.ts';
import { makeCertificate, startProxy } from '../support/tls.ts';
import type { TasksFirm, TasksOrder } from '../tasks-world.ts';

const SMALL = 1000;
/** Requests in a turn, whose processor time is read to 10 ms. */
const TIMES = 10;
const TURNS = 5;
const MAX_TIMES_THE_SMALL = 1.2;
const MAX_SECONDS = 10;

/** The pages, and who opens them. */
const PAGES: Record<string, { what: string; by: 'staff' | 'contact' }> = {
  tasks: { what: 'tasks of a client with 500', by: 'contact' },
  'tasks?page=10': { what: 'the tenth page of them', by: 'contact' },
  'tasks?show=done': { what: 'its complete ones', by: 'contact' },
  'staff/tasks': { what: 'all tasks', by: 'staff' },
  'staff/tasks?view=overdue': { what: 'overdue ones, of which there are none', by: 'staff' },
  'staff/tasks?view=waiting': { what: 'submitted ones, of which there are none', by: 'staff' },
  'staff/tasks?view=new': { what: 'those that nobody has begun', by: 'staff' },
};

/** What pages of tasks cost in firms with a thousand and with a million, on both engines, and creating a thousand. */
export async function tasks({ rows, runs }: Options): Promise<Report> {
  const sizes = [SMALL, rows];
  const phone = await onPhone(Math.max(3, runs));
  const sqlite = await measure('SQLite', sizes, {});
  const cluster = await startOwnPostgres();
  const postgres = await measure('PostgreSQL', sizes, { DATABASE_URL: cluster.url });
  await cluster.stop();
  return {
    title: 'Tasks',
    how: [
      `Two firms in one database, with ${sizes.map((size) => size.toLocaleString('en-US')).join(' and ')} tasks, of which one client has 500. Whole pages of the built portal, requested one at a time, the firms in turns; ${TURNS} turns of ${TIMES} requests, the median.`,
      `On SQLite the processor time of the portal for each request, on PostgreSQL, which works beside it, the time of each request. The baseline is the same page of the firm of ${SMALL}.`,
    ],
    tables: [
      { title: 'On a phone: mobile, cold, over TLS and HTTP/2, a client of 500 tasks', rows: phone },
      { title: 'SQLite, processor time', rows: rowsOf(sqlite.processor) },
      { title: 'PostgreSQL, time of a request', rows: rowsOf(postgres.time) },
      {
        title: 'Creating a task for each of 1,000 clients, in batches of 50',
        rows: [['SQLite', sqlite.creating] as const, ['PostgreSQL', postgres.creating] as const].map(
          ([what, figure]) => ({ what, unit: 's', figure, reach: [{ most: MAX_SECONDS }] }),
        ),
      },
    ],
  };
}

/** The list of tasks and a step of one, as `pages` measures pages. */
async function onPhone(runs: number): Promise<Row[]> {
  const folder = scratchFolder();
  progress('making tasks for a phone');
  const [firm] = make(folder, { sizes: [SMALL] }, {});
  const certificate = makeCertificate(folder);
  const proxy = await startProxy(certificate);
  const portal = await startPortal({ folder, origin: proxy.origin });
  proxy.pointAt(portal.address);
  const list = '/clientcenter/en-us/tasks';
  const headers = { host: new URL(proxy.origin).host, cookie: `__Host-sid=${firm?.contact}` };
  const html = (await ask(portal.address + list, { headers })).body.toString();
  const step = /href="([^"]*\/task\/\w+[^"]*)"/.exec(html)?.[1] ?? list;
  const rows: Row[] = [];
  for (const [what, address, ready] of [
    ['tasks', list, 'main h3 a'],
    ['a step', step, 'main form .input'],
  ] as const) {
    const seen: { bytes: number; scriptBytes: number; ready: number }[] = [];
    for (let run = 1; run <= runs; run += 1) {
      progress(`${what} on a phone, ${run}`);
      const cookies = [{ name: '__Host-sid', value: firm?.contact ?? '' }];
      const page = { url: new URL(address.replaceAll('&#38;', '&'), proxy.origin).href, ready, cookies };
      seen.push(await visit('mobile', certificate.fingerprint, page, (view) => Promise.resolve(view)));
    }
    rows.push(
      {
        what: `${what}: usable`,
        unit: 's',
        figure: median(seen.map((one) => one.ready / 1000)),
        reach: [{ most: 0.9 }],
      },
      {
        what: `${what}: transferred`,
        unit: 'kB',
        figure: median(seen.map(({ bytes }) => bytes / 1000)),
        reach: [{ most: 35 }],
      },
      {
        what: `${what}: script`,
        unit: 'kB',
        figure: median(seen.map((one) => one.scriptBytes / 1000)),
        reach: [{ most: 6 }],
      },
    );
  }
  await portal.end();
  proxy.close();
  return rows;
}

/** Milliseconds of each firm by page. */
type Times = Record<string, number[]>;

const rowsOf = (times: Times): Row[] =>
  Object.entries(PAGES).map(([page, { what }]) => ({
    what: `${what} (${page})`,
    unit: 'ms',
    figure: times[page]?.[1] ?? Number.NaN,
    baseline: times[page]?.[0] ?? Number.NaN,
    reach: [{ of: 'ratio', most: MAX_TIMES_THE_SMALL }],
  }));

async function measure(
  engine: string,
  sizes: number[],
  env: Record<string, string>,
): Promise<{ processor: Times; time: Times; creating: number }> {
  const folder = scratchFolder();
  progress(`${engine}: making tasks`);
  const firms = make(folder, { sizes }, env);
  const portal = await startPortal({ folder, env });
  const processorTimes: Times = {};
  const requestTimes: Times = {};
  for (const [page, { by }] of Object.entries(PAGES)) {
    progress(`${engine}: ${page}`);
    const processor = firms.map((): number[] => []);
    const time = firms.map((): number[] => []);
    for (let turn = -1; turn < TURNS; turn += 1)
      for (const [index, firm] of firms.entries()) {
        const before = portal.cpu();
        const took = await fire(
          `${portal.address}/clientcenter/en-us/${page}`,
          { headers: { cookie: `sid=${firm[by]}` } },
          TIMES,
          1,
        );
        if (turn < 0) continue; // to warm up
        processor[index]?.push((portal.cpu() - before) / TIMES);
        time[index]?.push(...took);
      }
    processorTimes[page] = processor.map(median);
    requestTimes[page] = time.map(median);
  }
  await portal.end();
  return {
    processor: processorTimes,
    time: requestTimes,
    creating: median(firms.map((firm) => firm.creating)),
  };
}

function make(folder: string, order: TasksOrder, env: Record<string, string>): TasksFirm[] {
  const program = path.join(import.meta.dirname, '../tasks-world.ts');
  const answer = execFileSync(
    process.execPath,
    ['--no-experimental-webstorage', program, JSON.stringify(order)],
    {
      env: { ...process.env, ...portalEnvironment(folder), LOG_LEVEL: 'error', ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  return JSON.parse(answer) as TasksFirm[];
}
