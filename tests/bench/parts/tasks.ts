import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { startOwnPostgres } from '../../../scripts/services.mjs';
import { fire } from '../support/load.ts';
import type { Options } from '../support/options.ts';
import { portalEnvironment, scratchFolder, startPortal } from '../support/portal.ts';
import { progress } from '../support/progress.ts';
import { median, type Report, type Row } from '../support/report.ts';
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
export async function tasks({ rows }: Options): Promise<Report> {
  const sizes = [SMALL, rows];
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
