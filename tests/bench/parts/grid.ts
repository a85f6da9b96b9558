import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright';
import { startOwnPostgres } from '../../../scripts/services.mjs';
import { findChromium } from '../../../scripts/toolchain.mjs';
import type { GridOrder, GridWorld } from '../grid-world.ts';
import { fire } from '../support/load.ts';
import type { Options } from '../support/options.ts';
import { portalEnvironment, scratchFolder, startPortal, type BenchPortal } from '../support/portal.ts';
import { progress } from '../support/progress.ts';
import { median, type Report, type Row } from '../support/report.ts';

const CLIENTS = 100_000;
const TIMES = 15;
const SLOWER = 4;
const LONGEST_TASK = 50;
const GROUPS = 200;
/** Pixels a frame: two rows. */
const STEP = 100;
const GROUPED = 'kind,language,yearEnd,contacts';
/** The opened groups of each request: the groups of four levels, then rows. */
const PATHS: readonly (readonly (string | number)[])[] = [
  [],
  ['business'],
  ['business', 'en-us'],
  ['business', 'en-us', '03-28'],
  ['business', 'en-us', '03-28', 2],
];
const LEVELS = [
  'first level',
  'second level',
  'third level',
  'fourth level',
  'rows in a group of four levels',
];

/** What a list of 100,000 clients costs: scrolling it on a slow processor, and grouping it by four columns. */
export async function grid({ runs, rows }: Options): Promise<Report> {
  const clients = Math.min(rows, CLIENTS);
  progress(`making ${clients} clients on SQLite`);
  const folder = scratchFolder();
  const world = make(folder, { clients }, {});
  const portal = await startPortal({ folder });
  const sqlite = await requests(portal, world);
  const visits: Visit[] = [];
  for (let run = 1; run <= runs; run += 1) {
    progress(`scrolling and grouping, ${run}`);
    visits.push(await visit(portal, world, clients));
  }
  await portal.end();
  progress(`making ${clients} clients on PostgreSQL`);
  const cluster = await startOwnPostgres();
  const env = { DATABASE_URL: cluster.url };
  const other = scratchFolder();
  const otherWorld = make(other, { clients }, env);
  const otherPortal = await startPortal({ folder: other, env });
  const postgres = await requests(otherPortal, otherWorld);
  await otherPortal.end();
  await cluster.stop();
  return {
    title: 'Grid of clients',
    how: [
      `A firm of ${clients.toLocaleString('en-US')} clients, in Chromium at 1280 × 800 with the processor slowed ${SLOWER} times.`,
      `Scrolling: ${STEP} pixels a frame, then jumps. The longest task of ${runs} visits, by processor time, which other programs on the machine stretch less than the clock.`,
      `Grouping by type, language, tax year end and contacts: the request of each level (median of ${TIMES}, one at a time), and the time from its answer until the browser has drawn it (median of all levels and visits).`,
    ],
    tables: [
      { title: 'Scrolling', rows: scrolling(visits) },
      ...(
        [
          ['SQLite', sqlite],
          ['PostgreSQL', postgres],
        ] as const
      ).map(([engine, server]) => ({ title: `Grouping on ${engine}`, rows: grouping(server, visits) })),
    ],
  };
}

function make(folder: string, order: GridOrder, env: Record<string, string>): GridWorld {
  const program = path.join(import.meta.dirname, '../grid-world.ts');
  const answer = execFileSync(
    process.execPath,
    ['--no-experimental-webstorage', program, JSON.stringify(order)],
    {
      env: { ...process.env, ...portalEnvironment(folder), LOG_LEVEL: 'error', ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  return JSON.parse(answer) as GridWorld;
}

/** The time of the request for each level of groups, in ms. */
async function requests({ address }: BenchPortal, { staff }: GridWorld): Promise<number[]> {
  const took: number[] = [];
  for (const opened of PATHS) {
    const query = new URLSearchParams({
      group: GROUPED,
      path: opened.length > 0 ? JSON.stringify(opened) : '',
      limit: '100',
    });
    const url = `${address}/api/staff/v1/grids/clients?${query}`;
    const shot = { headers: { cookie: `sid=${staff}` } };
    await fire(url, shot, 2, 1);
    took.push(median(await fire(url, shot, TIMES, 1)));
  }
  return took;
}

/** The tasks of the page in ms: their processor time, and by the clock. */
interface Tasks {
  processor: number[];
  clock: number[];
}
interface Visit {
  scrolled: Record<string, Tasks>;
  /** From the answer until what is in a group of each level is drawn, in ms; that of the first level is NaN. */
  drawn: number[];
}

async function visit({ address }: BenchPortal, { staff }: GridWorld, clients: number): Promise<Visit> {
  const executablePath = findChromium();
  const browser = await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    await context.addCookies([{ name: 'sid', value: staff, url: address }]);
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    const slow = (rate: number) => session.send('Emulation.setCPUThrottlingRate', { rate });
    const list = `${address}/clientcenter/en-us/staff/clients`;
    const scrolled: Record<string, Tasks> = {};
    await openGrid(page, list, 'grid');
    await slow(SLOWER);
    scrolled['the first thousand rows, while pages are loaded'] = await traced(browser, page, () =>
      page.evaluate(scrollTo, { row: 1000, step: STEP }),
    );
    await slow(1);
    await page.evaluate(scrollTo, { row: clients - 1000, step: 100_000 });
    await slow(SLOWER);
    scrolled['the last thousand rows, while pages are loaded'] = await traced(browser, page, () =>
      page.evaluate(scrollTo, { row: clients, step: STEP }),
    );
    scrolled['jumps among all rows'] = await traced(browser, page, () => page.evaluate(jump, 60));
    await openGrid(page, `${list}?group=${GROUPED}`, 'treegrid');
    const drawn: number[] = [];
    for (const [level] of PATHS.entries()) drawn.push(await page.evaluate(openLevel, level));
    return { scrolled, drawn };
  } finally {
    await browser.close();
  }
}

/** Opens the list, and lets the grid take over its table. */
async function openGrid(page: Page, url: string, role: 'grid' | 'treegrid'): Promise<void> {
  await page.goto(url);
  await page.getByRole('table').hover();
  await page.getByRole(role).waitFor();
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  dur?: number;
  tdur?: number;
  args: { name?: string };
}

/** The tasks of the page while something runs. */
async function traced(browser: Browser, page: Page, run: () => Promise<void>): Promise<Tasks> {
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline'] });
  await run();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}/${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid }) => name === 'RunTask' && ph === 'X' && threads.has(`${pid}/${tid}`),
  );
  const MICROSECONDS = 1000;
  return {
    processor: tasks.map(({ tdur = 0 }) => tdur / MICROSECONDS),
    clock: tasks.map(({ dur = 0 }) => dur / MICROSECONDS),
  };
}

/** Runs in the page. Scrolls so many pixels a frame until a row is drawn. */
async function scrollTo({ row, step }: { row: number; step: number }): Promise<void> {
  const box = document.querySelector('.grid-scroller');
  if (!box) throw new Error('There is no grid.');
  const lastDrawn = () =>
    Number(
      [...box.querySelectorAll('tbody tr[aria-rowindex]:not(.grid-end)')]
        .at(-1)
        ?.getAttribute('aria-rowindex'),
    );
  while (lastDrawn() - 1 < row) {
    box.scrollTop += step;
    await new Promise(requestAnimationFrame);
  }
}

/** Runs in the page. Jumps to distant places, as by the scroll bar. */
async function jump(times: number): Promise<void> {
  const box = document.querySelector('.grid-scroller');
  for (let i = 0; box && i < times; i += 1) {
    box.scrollTop = ((i * 0.618) % 1) * box.scrollHeight;
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
  }
}

/**
 * Runs in the page. Opens the first group of a level, and returns the time from the answer until what is in it is drawn,
 * in ms. For the level that is there from the start: NaN.
 */
async function openLevel(level: number): Promise<number> {
  const answers = () =>
    performance.getEntriesByType('resource').filter(({ name }) => name.includes('/grids/clients?'));
  const before = answers().length;
  if (level === 0) return Number.NaN;
  document.querySelector<HTMLElement>(`.grid-group[aria-level="${level}"] th`)?.click();
  while (!document.querySelector(`[aria-level="${level + 1}"]`)) await new Promise(requestAnimationFrame);
  const shown = performance.now();
  while (answers().length === before) await new Promise(requestAnimationFrame);
  const answer = answers().at(-1);
  return shown - (answer instanceof PerformanceResourceTiming ? answer.responseEnd : Number.NaN);
}

const longest = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), 0);

function scrolling(visits: readonly Visit[]): Row[] {
  return Object.keys(visits[0]?.scrolled ?? {}).flatMap((what): Row[] => {
    const tasks = visits.flatMap(({ scrolled }) => scrolled[what] ?? []);
    const clock = tasks.flatMap((each) => each.clock);
    return [
      {
        what: `${what}: longest task`,
        unit: 'ms',
        figure: longest(tasks.flatMap((each) => each.processor)),
        reach: [{ most: LONGEST_TASK }],
        note: `${clock.length} tasks; by the clock ${Math.round(longest(clock))} ms, ${clock.filter((value) => value > LONGEST_TASK).length} over ${LONGEST_TASK} ms`,
      },
    ];
  });
}

function grouping(server: readonly number[], visits: readonly Visit[]): Row[] {
  const drawn = visits.flatMap((each) => each.drawn.filter((value) => !Number.isNaN(value)));
  const browser = median(drawn);
  const row = (what: string, took: number, levels: number): Row => ({
    what,
    unit: 'ms',
    figure: took + levels * browser,
    reach: [{ most: GROUPS }],
    note: `server ${Math.round(took)} ms, browser ${Math.round(levels * browser)} ms`,
  });
  return LEVELS.map((what, level) => row(what, server[level] ?? Number.NaN, 1));
}
