import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { startOwnPostgres } from '../../../scripts/services.mjs';
import type { SearchOrder } from '../search-world.ts';
import type { Options } from '../support/options.ts';
import { portalEnvironment, scratchFolder } from '../support/portal.ts';
import { createDatabase } from '../support/postgres.ts';
import { progress } from '../support/progress.ts';
import { median, type Report, type Row } from '../support/report.ts';

const MAX_TIMES_THE_SMALL = 2;
const TIMES = 25;
/** As many as a search of every second document needs to keep a thousand. */
const SMALL = 4000;
/** Finds more in a larger database, up to the thousand. */
const GROWING = 'supplier77';
/** Each with a word that every, every other, one in a thousand, one and no document has. */
const SEARCHES: Record<string, string> = {
  p: 'a letter of every document',
  payroll: 'a word of every other document',
  'payroll week': 'two words of every other document',
  [GROWING]: 'a word of one document in a hundred',
  '0000777': 'a word of one document',
  'payroll invoice': 'two words that never meet',
  nothing: 'a word of no document',
};

/** What searches cost on PostgreSQL where one client has a thousand documents and more. */
export async function search({ rows }: Options): Promise<Report> {
  const sizes = [SMALL, 100_000, rows].filter((size, i, all) => size <= rows && all.indexOf(size) === i);
  const cluster = await startOwnPostgres();
  const measured = [];
  for (const size of sizes) {
    progress(`searching ${size} documents`);
    measured.push({ size, took: await ask(cluster.url, size) });
  }
  await cluster.stop();
  const [small] = measured;
  return {
    title: 'Search on PostgreSQL',
    how: [
      `One client with ${sizes.map((size) => size.toLocaleString('en-US')).join(', ')} documents. The verb alone, in a process of its own: a search finds, counts and sorts at most a thousand documents and reads a page of a hundred.`,
      `Median of ${TIMES}, one at a time. The baseline is the smallest database, where all but one of them find as many.`,
    ],
    tables: measured.slice(1).map(({ size, took }) => ({
      title: `${size.toLocaleString('en-US')} documents`,
      rows: Object.entries(SEARCHES).map(([words, what]): Row => ({
        what: `${what} (${words})`,
        unit: 'ms',
        figure: median(took[words] ?? []),
        baseline: median(small?.took[words] ?? []),
        reach: [{ of: 'ratio', most: MAX_TIMES_THE_SMALL }],
      })),
    })),
  };
}

async function ask(administrator: string, documents: number): Promise<Record<string, number[]>> {
  const order: SearchOrder = { documents, searches: Object.keys(SEARCHES), times: TIMES };
  const program = path.join(import.meta.dirname, '../search-world.ts');
  const answer = execFileSync(process.execPath, [program, JSON.stringify(order)], {
    env: {
      ...process.env,
      ...portalEnvironment(scratchFolder()),
      DATABASE_URL: await createDatabase(administrator, `search_${documents}`),
      LOG_LEVEL: 'error',
    },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(answer) as Record<string, number[]>;
}
