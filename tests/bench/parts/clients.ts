import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { startOwnPostgres } from '../../../scripts/services.mjs';
import type { ClientsFirm, ClientsOrder } from '../clients-world.ts';
import { fire } from '../support/load.ts';
import type { Options } from '../support/options.ts';
import { portalEnvironment, scratchFolder, startPortal } from '../support/portal.ts';
import { processorTimeOfServers } from '../support/program.ts';
import { progress } from '../support/progress.ts';
import { median, type Report, type Row } from '../support/report.ts';

const SMALL = 100;
const LARGE = 100_000;
/** Requests in a turn, whose processor time is read to 10 ms. */
const TIMES = 10;
const TURNS = 5;
const MAX_TIMES_THE_SMALL = 1.2;

const CLIENTS = 'staff/clients';
const PEOPLE = 'staff/people';
const INBOX = 'staff/inbox';
const LISTS = [CLIENTS, PEOPLE, INBOX];
const PAGES: Record<string, string> = {
  [CLIENTS]: 'clients',
  [`${CLIENTS}?sort=code`]: 'clients by number',
  [`${CLIENTS}?kind=individual`]: 'clients of a type that one in a hundred has',
  [`${CLIENTS}?tag=payroll`]: 'clients with a tag of every other',
  [`${CLIENTS}?tag=season`]: 'clients with a tag of one in a hundred',
  [`${CLIENTS}?tag=season&sort=code`]: 'clients with a tag of one in a hundred, by number',
  [`${CLIENTS}?responsible={person}`]: 'clients of a responsible person, the last tenth of the list',
  [`${CLIENTS}?responsible={person}&tag=season`]: 'the same, with a tag of one in a hundred',
  [`${CLIENTS}?searchTerm=ltd`]: 'clients with a word that all have',
  [`${CLIENTS}?searchTerm=orchard`]: 'clients with a word of one in ten',
  [`${CLIENTS}?searchTerm=season`]: 'clients with a word of one in a hundred',
  [`${CLIENTS}?searchTerm=zebra`]: 'clients with a word of the last of fifty',
  [`${CLIENTS}?searchTerm=ra+Orchard+0`]: 'clients with a text inside of names, of the last',
  [`${CLIENTS}?searchTerm=00099+ltd`]: 'clients with a text of one in a thousand',
  [`${CLIENTS}?searchTerm=nothing`]: 'clients with a word that none has',
  [`${CLIENTS}?searchTerm=qq`]: 'clients with two letters that none has',
  [PEOPLE]: 'people',
  [`${PEOPLE}?who=contacts`]: 'contacts',
  [`${PEOPLE}?who=staff`]: 'staff',
  [`${PEOPLE}?state=pending`]: 'invitations',
  [`${PEOPLE}?clientName=ltd`]: 'people of clients with a word that all have',
  [`${PEOPLE}?clientName=orchard`]: 'people of clients with a word of one in ten',
  [`${PEOPLE}?clientName=zebra`]: 'people of clients with a word of the last of fifty',
  [`${PEOPLE}?clientName=00099+ltd`]: 'people of clients with a text of one in a thousand',
  [`${PEOPLE}?clientName=nothing`]: 'people of clients with a word that none has',
  [`${PEOPLE}?clientName=qq`]: 'people of clients with two letters that none has',
  [`${PEOPLE}?searchTerm=person`]: 'people with a word that all have',
  [`${PEOPLE}?searchTerm=zebra`]: 'people with a word of the last of fifty',
  [`${PEOPLE}?searchTerm=person-7@firm-100.example`]: 'people with an email address',
  [`${PEOPLE}?searchTerm=nothing`]: 'people with a word that none has',
  [INBOX]: 'the inbox',
  [`${INBOX}?of=all`]: 'the inbox of the firm',
  [`${INBOX}?kind=comments`]: 'comments in the inbox',
};

/** What the pages of a firm's clients and people cost with a hundred and with a hundred thousand, on both engines. */
export async function clients({ rows }: Options): Promise<Report> {
  const sizes = [SMALL, Math.min(rows, LARGE)];
  const sqlite = await measure('SQLite', sizes, {});
  const cluster = await startOwnPostgres();
  const postgres = await measure('PostgreSQL', sizes, { DATABASE_URL: cluster.url });
  await cluster.stop();
  const tablesOf = (engine: string, times: Times): Report['tables'] =>
    LISTS.map((list) => ({ title: `${engine}, ${PAGES[list]}`, rows: rowsOf(times, list) }));
  return {
    title: 'Clients, people and inbox',
    how: [
      `Two firms in one database, with ${sizes.map((size) => size.toLocaleString('en-US')).join(' and ')} clients, each with a contact and (of 20,000 clients at most) a row that waits in the inbox. Whole pages of the built portal (queries, markup, headers), requested by the owner one at a time, in turns with the list of the firm of ${SMALL}; ${TURNS} turns of ${TIMES} requests, the median.`,
      `The processor time of the portal for each request, and of PostgreSQL with it, which does not depend on other programs as much as the time of a request. The baseline is that list: a search of the small firm may find too little to compare.`,
    ],
    tables: [...tablesOf('SQLite', sqlite), ...tablesOf('PostgreSQL', postgres)],
  };
}

/** Milliseconds by page: of the list of the small firm meanwhile, and of the page of the large one. */
type Times = Record<string, number[]>;

const rowsOf = (times: Times, list: string): Row[] =>
  Object.entries(PAGES)
    .filter(([page]) => page.startsWith(list))
    .map(([page, what]) => ({
      what: page.includes('?') ? `${what} (${page.split('?')[1]})` : what,
      unit: 'ms',
      figure: times[page]?.[1] ?? Number.NaN,
      baseline: times[page]?.[0] ?? Number.NaN,
      reach: [{ of: 'ratio', most: MAX_TIMES_THE_SMALL }],
    }));

async function measure(engine: string, sizes: number[], env: Record<string, string>): Promise<Times> {
  const folder = scratchFolder();
  progress(`${engine}: making clients`);
  const firms = make(folder, { sizes }, env);
  const portal = await startPortal({ folder, env });
  const used = (): number => portal.cpu() + processorTimeOfServers('postgres');
  const measured: Times = {};
  for (const page of Object.keys(PAGES)) {
    progress(`${engine}: ${page}`);
    const list = LISTS.find((each) => page.startsWith(each)) ?? page;
    const visit = ({ session, person }: ClientsFirm, of: string): Promise<number[]> =>
      fire(
        `${portal.address}/clientcenter/en-us/${of.replace('{person}', person)}`,
        { headers: { cookie: `sid=${session}` } },
        TIMES,
        1,
      );
    const processor = firms.map((): number[] => []);
    for (let turn = -1; turn < TURNS; turn += 1)
      for (const [index, firm] of firms.entries()) {
        const before = used();
        await visit(firm, index === 0 ? list : page);
        if (turn < 0) continue; // to warm up
        processor[index]?.push((used() - before) / TIMES);
      }
    measured[page] = processor.map(median);
  }
  await portal.end();
  return measured;
}

function make(folder: string, order: ClientsOrder, env: Record<string, string>): ClientsFirm[] {
  const program = path.join(import.meta.dirname, '../clients-world.ts');
  const answer = execFileSync(
    process.execPath,
    ['--no-experimental-webstorage', program, JSON.stringify(order)],
    {
      env: { ...process.env, ...portalEnvironment(folder), LOG_LEVEL: 'error', ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  return JSON.parse(answer) as ClientsFirm[];
}
