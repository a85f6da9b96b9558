import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { ImportOrder, ImportTimes } from '../import-world.ts';
import type { Options } from '../support/options.ts';
import { portalEnvironment, scratchFolder } from '../support/portal.ts';
import { progress } from '../support/progress.ts';
import { median, type Report, type Row } from '../support/report.ts';

const ROWS = 10_000;
const SECONDS = 60;

const STEPS = {
  'check clients': 'clients, upload and check',
  'import clients': 'clients, import',
  'check contacts': 'contacts, upload and check',
  'import contacts': 'contacts, import',
  'check links': 'links, upload and check',
  'import links': 'links, import',
} as const satisfies Partial<Record<keyof ImportTimes, string>>;

/** What imports of as many rows as a file may have cost, next to plain inserts of the same clients. */
export function imports({ runs }: Options): Promise<Report> {
  const measured: ImportTimes[] = [];
  for (let run = 1; run <= runs; run += 1) {
    progress(`importing ${ROWS} clients, contacts and links, ${run}`);
    measured.push(importOnce());
  }
  const of = (name: keyof ImportTimes, what: 'wall' | 'processor'): number =>
    median(measured.map((times) => times[name][what]));
  const steps = Object.entries(STEPS) as [keyof typeof STEPS, string][];
  const tableOf = (what: 'wall' | 'processor'): Row[] =>
    steps.map(([name, title]) => ({
      what: title,
      unit: 'ms',
      figure: of(name, what),
      baseline: of('plain', what),
    }));
  const total = median(
    measured.map((times) => steps.reduce((sum, [name]) => sum + times[name].wall, 0) / 1000),
  );
  return Promise.resolve({
    title: 'Imports',
    how: [
      `${ROWS.toLocaleString('en-US')} clients with tax ID, address, tags and responsible staff, as many contacts and a link of each, on SQLite, in a process of its own. Median of ${runs} runs.`,
      'The baseline are plain inserts of the same clients, their tags, tax IDs and responsible staff, encrypted before, 500 rows a statement in one transaction: without checks, audit entries and the rows of the import.',
    ],
    tables: [
      { title: 'Processor time', rows: tableOf('processor') },
      { title: 'Time', rows: tableOf('wall') },
      {
        title: 'All three files',
        rows: [
          { what: 'uploaded, checked and imported', unit: 's', figure: total, reach: [{ most: SECONDS }] },
        ],
      },
    ],
  });
}

function importOnce(): ImportTimes {
  const order: ImportOrder = { rows: ROWS };
  const program = path.join(import.meta.dirname, '../import-world.ts');
  const answer = execFileSync(
    process.execPath,
    ['--no-experimental-webstorage', program, JSON.stringify(order)],
    {
      env: { ...process.env, ...portalEnvironment(scratchFolder()), LOG_LEVEL: 'error' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  return JSON.parse(answer) as ImportTimes;
}
