import { Readable } from 'node:stream';
import { createFirm } from '#features/base/firms/firms.server.ts';
import {
  confirmImport,
  importCounts,
  importOf,
  setMapping,
} from '#features/office/imports/imports.server.ts';
import { startImport } from '#features/office/imports/uploading.server.ts';
import { actorOf, createContact, createUser } from '#features/base/people/people.server.ts';
import { closeDatabase, db, inBatches, inTransaction, migrate } from '#platform/database/database.server.ts';
import { runDueJobs } from '#platform/jobs/jobs.server.ts';
import '../../src/app.server.ts';

/*
 * A program of its own, for a database belongs to a process: imports clients, contacts and links, and inserts the
 * same clients once more by plain statements. See parts/imports.ts.
 */

export interface ImportOrder {
  rows: number;
}

/** Milliseconds by the clock and of processor time. */
interface Spent {
  wall: number;
  processor: number;
}
/** The kinds that are measured. */
type ImportKind = 'clients' | 'contacts' | 'links';
export type ImportTimes = Record<'plain' | `${'check' | 'import'} ${ImportKind}`, Spent>;

const { rows } = JSON.parse(process.argv[2] ?? '{}') as ImportOrder;
await migrate();
const companyId = await createFirm({
  secondStep: 'nobody',
  name: 'Maple & Hart CPAs',
  phone: '+1 312 555 0142',
  email: 'office@maplehart.example',
  language: 'en-us',
  loginPageText: '',
});
const owner = { email: 'hart@maplehart.example', firstName: 'Eleanor', lastName: 'Hart', language: 'en-us' };
const prismGuid = await createUser({ ...owner, passwordHash: null });
const hart = await actorOf(
  await createContact({ companyId, prismGuid, fullName: 'Eleanor Hart', role: 'owner' }),
);
const took = {} as ImportTimes;

/** Runs `work` and adds what it spent. */
async function spend(name: keyof ImportTimes, work: () => Promise<unknown>): Promise<void> {
  const [began, used] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(used);
  took[name] = { wall: performance.now() - began, processor: (user + system) / 1000 };
}

async function importFile(kind: ImportKind, header: string, line: (index: number) => string): Promise<void> {
  const text = [header, ...Array.from({ length: rows }, (_, index) => line(index))].join('\n');
  let id = '';
  await spend(`check ${kind}`, async () => {
    id = await startImport(hart, { kind, name: `${kind}.csv`, bytes: Readable.from([Buffer.from(text)]) });
    await setMapping(hart, id, header.split(','));
    await runDueJobs();
  });
  await spend(`import ${kind}`, async () => {
    await confirmImport(hart, id, false);
    await runDueJobs();
  });
  const { states } = await importCounts(hart, id);
  if ((await importOf(hart, id)).state !== 'done' || states.done !== rows)
    throw new Error(`Only ${states.done} of ${rows} ${kind} were imported.`);
}

await importFile(
  'clients',
  'code,name,kind,doingBusinessAs,ein,address1,city,state,zip,country,tags,language,yearEnd,responsible',
  (index) =>
    `C-${index},Client ${index} Incorporated,business,Trade ${index},12-${String(3_000_000 + index)},${index} Main Street,Chicago,IL,60601,US,monthly; payroll,en-us,12-31,hart@maplehart.example`,
);
await importFile(
  'contacts',
  'email,firstName,lastName,language',
  (index) => `contact.${index}@client.example,Connie ${index},Contact,en-us`,
);
await importFile('links', 'code,email', (index) => `C-${index},contact.${index}@client.example`);

const tables = ['clients', 'client_tags', 'client_tax_ids', 'staff_clients'] as const;
const copies = await Promise.all(
  tables.map(async (table) => {
    const stored = await db().selectFrom(table).selectAll().execute();
    return { table, copies: stored.map((row) => ({ ...row, client_id: `${row.client_id}-copy` })) };
  }),
);
await spend('plain', () =>
  inTransaction(async () => {
    for (const { table, copies: all } of copies)
      for (const some of inBatches(all)) await db().insertInto(table).values(some).execute();
  }),
);
process.stdout.write(JSON.stringify(took));
await closeDatabase();
