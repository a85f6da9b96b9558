import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { SheetOrder, SheetTimes } from '../sheet-world.ts';
import type { Options } from '../support/options.ts';
import { portalEnvironment, scratchFolder } from '../support/portal.ts';
import { progress } from '../support/progress.ts';
import { median, type Report, type Row } from '../support/report.ts';

const [EMPLOYEES, COLUMNS] = [500, 20];

const TARGETS = [
  ['page', 'a page of employees with the totals of all', 150],
  ['preview', 'what pasting all cells would change', 100],
  ['save', 'all cells stored', 400],
] as const satisfies readonly (readonly [keyof SheetTimes, string, number])[];

/** What a payroll sheet of as many cells as one may have costs: a page of it, a paste and its preview. */
export function sheet({ runs }: Options): Promise<Report> {
  progress(`a payroll sheet of ${EMPLOYEES} employees with ${COLUMNS} columns`);
  const order: SheetOrder = { employees: EMPLOYEES, columns: COLUMNS, runs: Math.max(runs, 3) };
  const program = path.join(import.meta.dirname, '../sheet-world.ts');
  const answer = execFileSync(
    process.execPath,
    ['--no-experimental-webstorage', program, JSON.stringify(order)],
    {
      env: { ...process.env, ...portalEnvironment(scratchFolder()), LOG_LEVEL: 'error' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const times = JSON.parse(answer) as SheetTimes;
  return Promise.resolve({
    title: 'Payroll sheets',
    how: [
      `A sheet of ${EMPLOYEES} employees with ${COLUMNS} columns, all of them filled in by one paste, on SQLite, in a process of its own. Median of ${order.runs} runs, without HTTP and without the markup of the page.`,
    ],
    tables: [
      {
        title: 'Time',
        rows: TARGETS.map(([name, what, most]): Row => ({
          what,
          unit: 'ms',
          figure: median(times[name]),
          reach: [{ most }],
        })),
      },
    ],
  });
}
