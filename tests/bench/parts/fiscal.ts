import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { startOwnPostgres } from '../../../scripts/services.mjs';
import { readFiscalXml } from '../../../src/features/documents/fiscal-xml/read.server.ts';
import { BAKERY, zipOf } from '../../support/fiscal.ts';
import { signerNamed } from '../../support/signed-xml.ts';
import { signedNote } from '../../support/signed-note.ts';
import type { FiscalFirm, FiscalOrder } from '../fiscal-world.ts';
import { ask, fire } from '../support/load.ts';
import { waitsDuring } from '../support/longest-wait.ts';
import type { Options } from '../support/options.ts';
import { portalEnvironment, scratchFolder, startPortal, type BenchPortal } from '../support/portal.ts';
import { growthOf } from '../support/program.ts';
import { progress } from '../support/progress.ts';
import { median, type Report, type Row } from '../support/report.ts';
import { pause } from '../support/wait.ts';

const SMALL = 1000;
const TIMES = 10;
const TURNS = 5;
const MAX_TIMES_THE_SMALL = 1.2;
const MAX_MONTH = 1000;
const FILES = 10_000;
/** As many items as make a note of 10 kB. */
const ITEMS = 8;
const MAX_ITEMS = 990;
const POLL = 50;

/** Fiscal documents: an archive of ten thousand, reading one, and the pages of a firm with a million. */
export async function fiscal({ rows, runs }: Options): Promise<Report> {
  const reading = measureReading();
  const intake = await measureIntake(Math.min(3, runs));
  const sizes = [SMALL, rows];
  const sqlite = await measurePages('SQLite', sizes, {});
  const cluster = await startOwnPostgres();
  const postgres = await measurePages('PostgreSQL', sizes, { DATABASE_URL: cluster.url });
  await cluster.stop();
  return {
    title: 'Fiscal documents',
    how: [
      `A ZIP of ${FILES.toLocaleString('en-US')} signed NF-e of ${ITEMS} items, sent by the call in one request and read by the job, on SQLite: documents stored a second from the request to the end of the job. More memory is the highest resident memory less what was resident before, with what the collector has not freed. Waits are those of /healthz while a second such archive is read, asked without pause by another thread, which takes half of the processor.`,
      `Reading is parsing, fields, checks and the signature, in processor time of this process, the median of many.`,
      `Pages: two firms in one database, with ${sizes.map((size) => size.toLocaleString('en-US')).join(' and ')} documents, of which the client that is opened has a fifth, 100 of them of the month. Whole pages of the built portal, requested one at a time, the firms in turns; ${TURNS} turns of ${TIMES} requests, the median. The baseline is the firm of ${SMALL}.`,
    ],
    tables: [
      { title: 'Reading', rows: reading },
      { title: `A ZIP of ${FILES.toLocaleString('en-US')}`, rows: intake },
      { title: `${rows.toLocaleString('en-US')} documents on SQLite`, rows: sqlite },
      { title: `${rows.toLocaleString('en-US')} documents on PostgreSQL`, rows: postgres },
    ],
  };
}

function measureReading(): Row[] {
  const signer = signerNamed('Moinho Boa Safra Ltda:31550824000169');
  const cost = (items: number, times: number): { bytes: number; ms: number } => {
    const bytes = Buffer.from(signedNote({ number: 1, items, signer }));
    const took: number[] = [];
    for (let at = 0; at < times * 2; at += 1) {
      const before = process.cpuUsage();
      readFiscalXml(bytes);
      const { user, system } = process.cpuUsage(before);
      if (at >= times) took.push((user + system) / 1000);
    }
    return { bytes: bytes.length, ms: median(took) };
  };
  progress('reading');
  const [small, large] = [cost(ITEMS, 500), cost(MAX_ITEMS, 15)];
  const size = (bytes: number): string => `${Math.round(bytes / 1000)} kB`;
  return [
    {
      what: `a note of ${size(small.bytes)} with its signature`,
      unit: 'ms',
      figure: small.ms,
      reach: [{ most: 2.5 }],
    },
    {
      what: `a note of ${size(large.bytes)} with its signature`,
      unit: 'ms',
      figure: large.ms,
      reach: [{ most: 30 }],
    },
  ];
}

async function measureIntake(runs: number): Promise<Row[]> {
  const signer = signerNamed('Moinho Boa Safra Ltda:31550824000169');
  const archiveFrom = (first: number): Promise<Buffer> =>
    zipOf(
      Object.fromEntries(
        Array.from({ length: FILES }, (_, at) => first + at).map((number) => [
          `${number}.xml`,
          signedNote({ number, items: ITEMS, signer, recipient: BAKERY }),
        ]),
      ),
    );
  progress(`making two archives of ${FILES}`);
  const [alone, besides] = [await archiveFrom(1_000_001), await archiveFrom(2_000_001)];
  const found: { perSecond: number; more: number; p99: number; longest: number; cpu: number }[] = [];
  for (let run = 1; run <= runs; run += 1) {
    const folder = scratchFolder();
    const [firm] = make(folder, { sizes: [SMALL] }, {});
    const portal = await startPortal({ folder });
    progress(`sending an archive, ${run}`);
    const before = portal.cpu();
    const { took, more } = await growthOf(portal, () => send(portal, firm, alone));
    const cpu = (portal.cpu() - before) / FILES;
    progress(`sending an archive while another one asks, ${run}`);
    const waits = await waitsDuring(`${portal.address}/healthz`, () => send(portal, firm, besides));
    const sorted = waits.toSorted((a, b) => a - b);
    found.push({
      perSecond: FILES / (took / 1000),
      more,
      cpu,
      p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
      longest: sorted.at(-1) ?? Number.NaN,
    });
    await portal.end();
  }
  const of = (name: keyof (typeof found)[number]): number => median(found.map((each) => each[name]));
  return [
    { what: 'documents a second', unit: '', figure: of('perSecond'), reach: [{ least: 500 }] },
    { what: 'processor time of a document', unit: 'ms', figure: of('cpu') },
    { what: 'more memory', unit: 'MB', figure: of('more'), reach: [{ most: 64 }] },
    { what: 'wait of others, p99', unit: 'ms', figure: of('p99'), reach: [{ most: 50 }] },
    { what: 'wait of others, longest', unit: 'ms', figure: of('longest') },
  ];
}

/** Sends an archive by the call, and waits until it is read. */
async function send(portal: BenchPortal, firm: FiscalFirm | undefined, zip: Buffer): Promise<void> {
  const headers = { cookie: `sid=${firm?.contact}`, origin: portal.address };
  const answer = await ask(`${portal.address}/api/boxe/v1/clients/${firm?.clientId}/documents`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/zip' },
    body: zip,
    status: 202,
  });
  const { data } = JSON.parse(answer.body.toString()) as { data: { id: string } };
  for (;;) {
    const { body } = await ask(`${portal.address}/api/boxe/v1/intakes/${data.id}?after=9999999`, { headers });
    const read = JSON.parse(body.toString()) as { data: { state: string; counts: Record<string, number> } };
    if (read.data.state === 'done' && read.data.counts['stored'] === FILES) return;
    if (read.data.state !== 'reading') throw new Error(`The archive was not read: ${body.toString()}`);
    await pause(POLL);
  }
}

/** The pages, and their addresses. */
const PAGES: Record<string, (firm: FiscalFirm) => string> = {
  'grid of an archive': () => '/clientcenter/pt/actions/box-e/nfe-storage',
  'by key': ({ key }) => `/clientcenter/pt/actions/box-e/nfe-storage?search=${key}`,
  'month with its gaps': ({ month }) => `/clientcenter/pt/actions/box-e/nfe-storage/${month}`,
};

async function measurePages(
  engine: string,
  sizes: readonly number[],
  env: Record<string, string>,
): Promise<Row[]> {
  progress(`${engine}: storing ${sizes.join(' and ')} documents`);
  const folder = scratchFolder();
  const firms = make(folder, { sizes }, env);
  const portal = await startPortal({ folder, env });
  const took = new Map<string, number[][]>();
  for (let turn = 0; turn <= TURNS; turn += 1)
    for (const [what, address] of Object.entries(PAGES))
      for (const [at, firm] of firms.entries()) {
        progress(`${engine}: ${what}, ${turn}`);
        const headers = { cookie: `sid=${firm.contact}` };
        const times = await fire(portal.address + address(firm), { headers }, TIMES, 1);
        const all = took.get(what) ?? firms.map(() => []);
        if (turn > 0) all[at]?.push(...times); // the first turn warms
        took.set(what, all);
      }
  await portal.end();
  return [...took].map(([what, [few = [], many = []]]) => ({
    what,
    unit: 'ms',
    figure: median(many),
    baseline: median(few),
    reach: [{ of: 'ratio', most: MAX_TIMES_THE_SMALL }, { most: MAX_MONTH }],
  }));
}

function make(folder: string, order: FiscalOrder, env: Record<string, string>): FiscalFirm[] {
  const program = path.join(import.meta.dirname, '../fiscal-world.ts');
  const answer = execFileSync(
    process.execPath,
    ['--no-experimental-webstorage', program, JSON.stringify(order)],
    {
      env: { ...process.env, ...portalEnvironment(folder), LOG_LEVEL: 'error', ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  return JSON.parse(answer) as FiscalFirm[];
}
