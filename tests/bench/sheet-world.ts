import { createFirm } from '#features/base/firms/firms.server.ts';
import { actorOf, createContact, createUser } from '#features/base/people/people.server.ts';
import { storeEmployees } from '#features/brazil/employees/bulk.server.ts';
import { applyPaste, previewPaste } from '#features/brazil/payroll-entries/pasting.server.ts';
import { listInput } from '#features/brazil/payroll-entries/payroll-entries.ts';
import { addList, publishList } from '#features/brazil/payroll-entries/publishing.server.ts';
import { undoStep } from '#features/brazil/payroll-entries/saving.server.ts';
import { rowsView, totalsView } from '#features/brazil/payroll-entries/sheet-view.server.ts';
import { listSheets, openSheet } from '#features/brazil/payroll-entries/sheets.server.ts';
import { createClient } from '#features/clients/clients/editing.server.ts';
import { closeDatabase, migrate } from '#platform/database/database.server.ts';
import '../../src/app.server.ts';

/* A program of its own, for a database belongs to a process: a payroll sheet of as many cells as one may have. */

export interface SheetOrder {
  employees: number;
  columns: number;
  runs: number;
}
/** Milliseconds of each run. */
export type SheetTimes = Record<'page' | 'preview' | 'save', number[]>;

const { employees, columns: width, runs } = JSON.parse(process.argv[2] ?? '{}') as SheetOrder;
await migrate();
const companyId = await createFirm({
  secondStep: 'nobody',
  name: 'Aurora Contabilidade',
  phone: '+55 11 5550 0142',
  email: 'office@aurora.example',
  language: 'pt',
  loginPageText: '',
});
const owner = { email: 'lima@aurora.example', firstName: 'Lia', lastName: 'Lima', language: 'pt' };
const prismGuid = await createUser({ ...owner, passwordHash: null });
const lima = await actorOf(
  await createContact({ companyId, prismGuid, fullName: 'Lia Lima', role: 'owner' }),
);
const client = await createClient(lima, { name: 'Padaria' });
const people = Array.from({ length: employees }, (_, index) => ({
  name: `Empregado ${String(index).padStart(3, '0')}`,
  cpf: '34127023074',
  registration: `M${index}`,
  hiredOn: '2024-02-01',
}));
await storeEmployees(lima, client, people);
const columns = Array.from({ length: width }, (_, index) => ({
  key: `c${index}`,
  label: `Coluna ${index}`,
  type: 'hours' as const,
}));
const from = new Date().toISOString().slice(0, 7);
const list = await addList(
  lima,
  listInput.parse({ name: 'Mensal', payroll: 'monthly', from, dueDay: 25, columns }),
);
await publishList(lima, list);
const [sheet] = await listSheets(lima, client);
const id = sheet?.id ?? '';
const text = [
  ['Matrícula', ...columns.map(({ label }) => label)].join('\t'),
  ...people.map(({ registration }) => [registration, ...columns.map(() => '1:30')].join('\t')),
].join('\n');

const took: SheetTimes = { page: [], preview: [], save: [] };
const page = { url: new URL('http://localhost/sheet'), locals: { lang: 'pt' as const } };
async function spend(name: keyof SheetTimes, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  await work();
  took[name].push(performance.now() - began);
}

for (let run = 0; run < runs; run += 1) {
  let version = 0;
  await spend('preview', async () => {
    const { opened, pasted } = await previewPaste(lima, id, text);
    if (pasted.changes.length !== employees * width) throw new Error('Not all cells are pasted.');
    ({ version } = opened.sheet);
  });
  await spend('save', () => applyPaste(lima, id, { text, version }));
  await spend('page', async () => {
    const opened = await openSheet(lima, id);
    rowsView(page, opened);
    totalsView('pt', opened);
  });
  await undoStep(lima, id);
}
await closeDatabase();
process.stdout.write(JSON.stringify(took));
