import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { SealingOrder, SealingTimes } from '../sealing-world.ts';
import type { Options } from '../support/options.ts';
import { portalEnvironment, scratchFolder } from '../support/portal.ts';
import { progress } from '../support/progress.ts';
import { median, type Report } from '../support/report.ts';

const PAGES = 20;
const TIMES = 5;
/** Milliseconds of processor time off the main thread. */
const MAX_SEAL = 1000;

/** What sealing a document costs, next to preparing the same one, and how long it holds the main thread. */
export function sealing({ runs }: Options): Promise<Report> {
  const measured: SealingTimes[] = [];
  for (let run = 1; run <= runs; run += 1) {
    progress(`sealing ${PAGES} pages, ${run}`);
    measured.push(sealAll());
  }
  const of = (name: keyof SealingTimes, what: 'wall' | 'off' | 'main'): number =>
    median(measured.flatMap((times) => times[name].slice(1).map((spent) => spent[what])));
  const first = median(measured.map(({ seal: [cold] }) => cold?.off ?? Number.NaN));
  return Promise.resolve({
    title: 'Sealing',
    how: [
      `A PDF of ${PAGES} pages with initials on each, a signature and a certificate page, without a timestamp, in a process of its own. Median of ${runs} runs of ${TIMES} seals each; the first of a process, which starts the thread and makes the key, has a row of its own.`,
      'The baseline is preparing the same document in the same thread: reading, flattening and saving it.',
    ],
    tables: [
      {
        title: 'Sealing',
        rows: [
          {
            what: 'processor time off the main thread',
            unit: 'ms',
            figure: of('seal', 'off'),
            baseline: of('prepare', 'off'),
            reach: [{ most: MAX_SEAL }],
          },
          { what: 'the first of a process', unit: 'ms', figure: first, reach: [{ most: 3 * MAX_SEAL }] },
          {
            what: 'processor time of the main thread',
            unit: 'ms',
            figure: of('seal', 'main'),
            baseline: of('prepare', 'main'),
          },
          { what: 'time', unit: 'ms', figure: of('seal', 'wall'), baseline: of('prepare', 'wall') },
        ],
      },
    ],
  });
}

function sealAll(): SealingTimes {
  const order: SealingOrder = { pages: PAGES, times: TIMES };
  const program = path.join(import.meta.dirname, '../sealing-world.ts');
  const answer = execFileSync(
    process.execPath,
    ['--no-experimental-webstorage', program, JSON.stringify(order)],
    {
      env: { ...process.env, ...portalEnvironment(scratchFolder()), LOG_LEVEL: 'error' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  return JSON.parse(answer.trim().split('\n').at(-1) ?? '') as SealingTimes;
}
