import { createFirm } from '#features/base/firms/firms.server.ts';
import { preparePdf } from '#features/documents/seals/preparing.server.ts';
import { sealPdf, type Stamp } from '#features/documents/seals/sealing.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { closeDatabase, migrate } from '#platform/database/database.server.ts';
import '../../src/app.server.ts';
import { pdfOfPages } from '../support/sealing.ts';

/*
 * A program of its own, for the processor time of its threads belongs to a process: prepares and seals a document of so
 * many pages. See parts/sealing.ts.
 */

export interface SealingOrder {
  pages: number;
  times: number;
}

/** Milliseconds: by the clock, of processor time off the main thread, and of the main thread itself. */
interface Spent {
  wall: number;
  off: number;
  main: number;
}
export type SealingTimes = Record<'prepare' | 'seal', Spent[]>;

const { pages, times } = JSON.parse(process.argv[2] ?? '{}') as SealingOrder;
await migrate();
const companyId = await createFirm({
  secondStep: 'nobody',
  name: 'Maple & Hart CPAs',
  phone: '+1 312 555 0142',
  email: 'office@maplehart.example',
  language: 'en-us',
  loginPageText: '',
});
const took: SealingTimes = { prepare: [], seal: [] };

const total = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;

async function spend<Result>(name: keyof SealingTimes, work: () => Promise<Result>): Promise<Result> {
  const [began, all, own] = [performance.now(), process.cpuUsage(), process.threadCpuUsage()];
  const result = await work();
  const main = total(process.threadCpuUsage(own));
  took[name].push({ wall: performance.now() - began, off: total(process.cpuUsage(all)) - main, main });
  return result;
}

const document = await pdfOfPages(pages);
const signature = { x: 10_000, y: 85_000, width: 30_000, height: 5000, kind: 'signature' as const };
const initials = { x: 80_000, y: 92_000, width: 10_000, height: 4000, kind: 'initials' as const };
const stamps: Stamp[] = [
  ...Array.from({ length: pages }, (_, page) => ({ ...initials, page, text: 'JÁ' })),
  { ...signature, page: pages - 1, text: 'José Álvares' },
];
const certificate = {
  title: 'Record of signatures',
  lead: 'This record belongs to the document before it.',
  sections: Array.from({ length: 3 }, (_, index) => ({
    title: `Signer ${index + 1}`,
    rows: Array.from({ length: 10 }, (__, row) => ({ label: `Label ${row}`, value: 'José Álvares' })),
  })),
  footer: 'The seal is that of the firm.',
};

// the first job starts the thread and makes the key
for (let turn = 0; turn <= times; turn += 1) {
  const { bytes } = await spend('prepare', () => preparePdf(document));
  await spend('seal', () => sealPdf({ companyId, prepared: bytes, stamps, certificate, signedAt: now() }));
}
process.stdout.write(`\n${JSON.stringify(took)}\n`);
await closeDatabase();
process.exit(0);
