import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { startOwnPostgres } from '../../../scripts/services.mjs';
import type { ClientsOrder } from '../clients-world.ts';
import type { Options } from '../support/options.ts';
import { portalEnvironment, scratchFolder } from '../support/portal.ts';
import { progress } from '../support/progress.ts';
import { median, type Report, type Row } from '../support/report.ts';

const SMALL = 100;
const LARGE = 100_000;
const TIMES = 25;
const MAX_TIMES_THE_SMALL = 1.2;
const LIST = '';
const QUERIES: Record<string, string> = {
  [LIST]: 'the list',
  'sort=code': 'the list by number',
  'kind=individual': 'a type that one in a hundred has',
  'tag=payroll': 'a tag of every other',
  'tag=season': 'a tag of one in a hundred',
  'tag=season&sort=code': 'a tag of one in a hundred, by number',
  'responsible={person}': 'a responsible person, of the last tenth of the list',
  'responsible={person}&tag=season': 'the same, and a tag of one in a hundred',
  'searchTerm=ltd': 'a search that all match',
  'searchTerm=orchard': 'a search that one in ten matches',
  'searchTerm=season': 'a search that one in a hundred matches',
  'searchTerm=zebra': 'a search that the last of fifty match',
  'searchTerm=ra+Orchard+0': 'a search inside of names, matched by the last',
  'searchTerm=00099+ltd': 'a search that one in a thousand matches',
  'searchTerm=nothing': 'a search without a match',
  'searchTerm=qq': 'a search of two letters without a match',
};

/** What the table of a firm's clients costs with a hundred and with a hundred thousand clients, on both engines. */
export async function clients({ rows }: Options): Promise<Report> {
  const large = Math.min(rows, LARGE);
  const order: ClientsOrder = { sizes: [SMALL, large], queries: Object.keys(QUERIES), times: TIMES };
  progress('the table of clients on SQLite');
  const sqlite = ask(order, {});
  const cluster = await startOwnPostgres();
  progress('the table of clients on PostgreSQL');
  const postgres = ask(order, { DATABASE_URL: cluster.url });
  await cluster.stop();
  return {
    title: 'Table of clients',
    how: [
      `Two firms in one database, with ${SMALL} and ${large.toLocaleString('en-US')} clients. The query of the page alone (rows, count and what their cells show), in a process of its own.`,
      `Median of ${TIMES}, one at a time, the firms in turns. The baseline is the firm of ${SMALL}; in the second table of each engine it is the list of all clients of the small firm, for a search of the small one may find too little to compare.`,
    ],
    tables: [['SQLite', sqlite] as const, ['PostgreSQL', postgres] as const].flatMap(([engine, took]) => [
      { title: `${engine}, beside the same query of the small firm`, rows: rowsOf(took, (query) => query) },
      { title: `${engine}, beside the list of the small firm`, rows: rowsOf(took, () => LIST) },
    ]),
  };
}

const rowsOf = (took: Record<string, number[][]>, baselineOf: (query: string) => string): Row[] =>
  Object.entries(QUERIES).map(([query, what]) => ({
    what: query === '' ? what : `${what} (${query})`,
    unit: 'ms',
    figure: median(took[query]?.[1] ?? []),
    baseline: median(took[baselineOf(query)]?.[0] ?? []),
    reach: [{ of: 'ratio', most: MAX_TIMES_THE_SMALL }],
  }));

function ask(order: ClientsOrder, env: Record<string, string>): Record<string, number[][]> {
  const program = path.join(import.meta.dirname, '../clients-world.ts');
  const answer = execFileSync(
    process.execPath,
    ['--no-experimental-webstorage', program, JSON.stringify(order)],
    {
      env: { ...process.env, ...portalEnvironment(scratchFolder()), LOG_LEVEL: 'error', ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  return JSON.parse(answer) as Record<string, number[][]>;
}
