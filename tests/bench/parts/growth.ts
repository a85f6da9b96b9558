import { startOwnPostgres } from '../../../scripts/services.mjs';
import { ask, fire } from '../support/load.ts';
import type { Options } from '../support/options.ts';
import { scratchFolder, startPortal, type BenchPortal } from '../support/portal.ts';
import { createDatabase } from '../support/postgres.ts';
import { progress } from '../support/progress.ts';
import { median, type Report, type Row, type Table } from '../support/report.ts';
import { inWorld } from '../support/seed.ts';
import type { World } from '../world.ts';

/** A firm with that many documents, and the portal that serves it. */
interface Firm {
  rows: number;
  folder: string;
  env: Record<string, string>;
  world: World;
  portal: BenchPortal;
}

const TIMES = 15;
const MAX_TIMES_THE_SMALL = 1.2;
const MAX_MS = 25;

/** Measures the cost of the same requests in a firm with a thousand documents and in larger ones, on both engines. */
export async function growth({ runs, rows }: Options): Promise<Report> {
  const sizes = [1000, 100_000, rows].filter((size, i, all) => size <= rows && all.indexOf(size) === i);
  const turns = Math.max(3, runs);
  const sqlite = await measure('SQLite', { sizes, turns, envOf: () => Promise.resolve({}) });
  const cluster = await startOwnPostgres();
  const envOf = async (size: number) => ({
    DATABASE_URL: await createDatabase(cluster.url, `growth_${size}`),
  });
  const postgres = await measure('PostgreSQL', { sizes, turns, envOf });
  await cluster.stop();
  return {
    title: 'Growth',
    how: [
      `One firm of ${sizes.map((size) => size.toLocaleString('en-US')).join(', ')} documents; the client that asks holds all of them up to 100,000, in one folder; the others belong to 300 other clients. The larger firms have 10,000 clients more, the one that asks after them by name. No ANALYZE was run on SQLite, as the portal runs none; on PostgreSQL once after filling, as autovacuum does.`,
      `Median of each request's time, one at a time, ${TIMES} a turn (fewer of what writes), ${turns} turns over the firms. The baseline is the firm of 1,000 on the same engine. The tree is the verb alone, in a process of its own.`,
    ],
    tables: [...sqlite, ...postgres],
  };
}

interface Measured {
  sizes: readonly number[];
  turns: number;
  /** The environment of a firm with that many documents. */
  envOf: (size: number) => Promise<Record<string, string>>;
}

async function measure(engine: string, { sizes, turns, envOf }: Measured): Promise<Table[]> {
  const firms: Firm[] = [];
  for (const size of sizes) {
    progress(`${engine}: making ${size} documents`);
    const folder = scratchFolder();
    const env = await envOf(size);
    const world = inWorld(folder, { do: 'make', documents: size, moreClients: size > 1000 }, env);
    firms.push({ rows: size, folder, env, world, portal: await startPortal({ folder, env }) });
  }
  const found = new Map<string, number[][]>(OPERATIONS.map(({ name }) => [name, firms.map(() => [])]));
  for (let turn = 1; turn <= turns; turn += 1) {
    for (const { name, times = TIMES, run } of OPERATIONS) {
      progress(`${engine}: ${name}, ${turn}`);
      for (const [index, firm] of firms.entries())
        found.get(name)?.[index]?.push(...(await run(firm, times)));
    }
  }
  for (const { portal } of firms) await portal.end();
  for (const { folder, env, world } of firms) {
    const { contactId, clientId } = world;
    const tree = inWorld(folder, { do: 'tree', contactId, clientId, times: TIMES }, env);
    found.set(TREE, [...(found.get(TREE) ?? []), [tree]]);
  }
  const names = [
    ...OPERATIONS.map(({ name, reached = true }) => ({ name, reached })),
    { name: TREE, reached: true },
  ];
  return firms.slice(1).map(({ rows: size }, index) => ({
    title: `${size.toLocaleString('en-US')} documents on ${engine}`,
    rows: names.map(({ name, reached }): Row => {
      const times = found.get(name) ?? [];
      return {
        what: name,
        unit: 'ms',
        figure: median(times[index + 1] ?? []),
        baseline: median(times[0] ?? []),
        ...(reached && { reach: [{ of: 'ratio', most: MAX_TIMES_THE_SMALL }, { most: MAX_MS }] }),
      };
    }),
  }));
}

const TREE = 'containers tree';

interface Operation {
  name: string;
  times?: number;
  /** Omitted if there is no target. */
  reached?: boolean;
  run: (firm: Firm, times: number) => Promise<number[]>;
}

const as = ({ world }: Firm): Record<string, string> => ({ cookie: `sid=${world.contact}` });
const read = (path: (firm: Firm) => string) => (firm: Firm, times: number) =>
  fire(firm.portal.address + path(firm), { headers: as(firm) }, times, 1);
const readAs = (who: 'reader' | 'staff', path: (firm: Firm) => string) => (firm: Firm, times: number) =>
  fire(firm.portal.address + path(firm), { headers: { cookie: `sid=${firm.world[who]}` } }, times, 1);
const list = '/api/storage/v1/containers/documents?clientId=';
const LAST_PAGE_AT = 90_000;

const OPERATIONS: readonly Operation[] = [
  { name: 'documents page', run: read(() => '/clientcenter/en-us/documents') },
  {
    name: 'documents page of the large folder',
    run: read(({ world }) => `/clientcenter/en-us/documents?folder=${world.folderId}`),
  },
  { name: 'API list of 100', run: read(({ world }) => list + world.clientId) },
  {
    name: 'API list of 100, the large folder',
    run: read(({ world }) => `${list}${world.clientId}&parentIds=${world.folderId}`),
  },
  {
    name: 'API list of 100, by name',
    run: read(({ world }) => `${list}${world.clientId}&orderBy=name&orderDir=asc`),
  },
  {
    name: 'API list of 100, far down',
    reached: false,
    run: read(({ world, rows }) => `${list}${world.clientId}&from=${Math.min(LAST_PAGE_AT, rows * 0.9)}`),
  },
  { name: 'API list of 100, far down, from where the page before ended', run: readOn },
  {
    name: 'API search by name, a word of one document',
    run: read(({ world }) => `${list}${world.clientId}&name=000777`),
  },
  {
    name: 'API search by name, a word of every document',
    run: read(({ world }) => `${list}${world.clientId}&name=payroll`),
  },
  {
    name: 'API search by name, a letter of every document',
    run: read(({ world }) => `${list}${world.clientId}&name=p`),
  },
  {
    name: 'API search by name, two words of every document',
    run: read(({ world }) => `${list}${world.clientId}&name=payroll+week`),
  },
  {
    name: 'API list, not read, all is read',
    run: readAs('reader', ({ world }) => `${list}${world.clientId}&readByClientUser=false`),
  },
  { name: 'API list of 100, as staff', run: readAs('staff', ({ world }) => list + world.clientId) },
  { name: 'client search', run: read(() => '/api/client-center/v1/clients/?searchTerm=number') },
  { name: 'exists, 100 names', run: exists },
  {
    name: 'upload, a new name',
    times: 5,
    run: (firm, times) => upload(firm, times, (i) => `Receipt ${crypto.randomUUID()} ${i}.pdf`),
  },
  {
    name: 'upload, a taken name',
    times: 5,
    run: (firm, times) => upload(firm, times, () => 'Payroll summary week 000001.pdf'),
  },
];

/** The page after the one far down the list. */
async function readOn(firm: Firm, times: number): Promise<number[]> {
  const place = `${list}${firm.world.clientId}&orderBy=name&orderDir=asc`;
  const before = await fetch(
    `${firm.portal.address}${place}&from=${Math.min(LAST_PAGE_AT, firm.rows * 0.8)}`,
    { headers: as(firm) },
  );
  const { data } = (await before.json()) as { data: { next: string } };
  return read(() => `${place}&after=${data.next}`)(firm, times);
}

function exists(firm: Firm, times: number): Promise<number[]> {
  const names = Array.from({ length: 100 }, (_, i) =>
    i % 2 === 0 ? `Payroll summary week ${String(i + 1).padStart(6, '0')}.pdf` : `Another ${i}.pdf`,
  );
  const headers = { ...as(firm), 'content-type': 'application/json', origin: firm.portal.address };
  return fire(
    `${firm.portal.address}/api/storage/v1/folders/${firm.world.folderId}/documents/exists`,
    { method: 'POST', headers, body: JSON.stringify(names) },
    times,
    1,
  );
}

async function upload(firm: Firm, times: number, name: (i: number) => string): Promise<number[]> {
  const took: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const boundary = 'portal-bench';
    const body = `--${boundary}\r\nContent-Disposition: form-data; name="file[]"; filename="${name(i)}"\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.7\n${'x'.repeat(10_000)}\n%%EOF\n\r\n--${boundary}--\r\n`;
    const headers = {
      ...as(firm),
      origin: firm.portal.address,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    };
    const began = performance.now();
    await ask(
      `${firm.portal.address}/api/storage/v1/folders/${firm.world.folderId}/documents?onConflict=rename`,
      { method: 'POST', headers, body },
    );
    took.push(performance.now() - began);
  }
  return took;
}
