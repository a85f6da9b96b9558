import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { addEmployee } from '#features/brazil/employees/changes.server.ts';
import { employeeOf, listEmployees } from '#features/brazil/employees/employees.server.ts';
import { employeeQuery } from '#features/brazil/employees/employees.ts';
import { createClient } from '#features/clients/clients/editing.server.ts';
import {
  confirmImport,
  importOf,
  listRows,
  repairNumbers,
  setMapping,
  undoImport,
} from '#features/office/imports/imports.server.ts';
import { rowQuery } from '#features/office/imports/imports.ts';
import { proposedMapping } from '#features/office/imports/mapping.server.ts';
import { problemSentences } from '#features/office/imports/problem-sentences.server.ts';
import { recordFile } from '#features/office/imports/record-files.server.ts';
import { startImport } from '#features/office/imports/uploading.server.ts';
import { makeCast, person, standAt } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';
import '../../../src/app.server.ts';

const { firmOne } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
standAt(Date.UTC(2026, 10, 27, 15));
const bakery = await createClient(olga, {
  name: 'Padaria Sol Nascente',
  code: 'AU-101',
  taxIds: [{ kind: 'cnpj', number: '99304518000186' }],
});
const joao = await addEmployee(olga, bakery, {
  name: 'João Pedro Nunes',
  cpf: '34127023074',
  registration: '2',
  hiredOn: '2024-02-01',
});

const HEADER =
  'Empresa;Nome completo;CPF;Matrícula;Data de admissão;Cargo;Salário;Horas semanais;Estabelecimento;Período aquisitivo início;Faltas no período;Dias gozados';

async function checked(...lines: string[]): Promise<string> {
  const bytes = Readable.from([Buffer.from([HEADER, ...lines].join('\n'))]);
  const id = await startImport(olga, { kind: 'employees', name: 'folha.csv', bytes });
  await setMapping(olga, id, await proposedMapping(olga, await importOf(olga, id)));
  await runDueJobs();
  return id;
}
/** The rows in the order of the file; the page lists problems first. */
const rowsOf = async (id: string) =>
  (await listRows(olga, id, rowQuery.parse({}))).rows
    .toSorted((one, other) => one.line - other.line)
    .map((row) => [row.action, problemSentences('en-us', row) || row.changes.join(' ')]);
const current = async () => (await listEmployees(olga, bakery, employeeQuery.parse({}))).items;

const MARIANA =
  '99.304.518/0001-86;Mariana Alves Ferreira;094.482.246-05;1;10/03/2021;Padeira;R$ 3.500,00;44:00;99.304.518/0001-86;10/03/2025;7;10';

describe('an import of employees', () => {
  test('knows its columns by the names that payroll programs give them', async () => {
    const id = await checked(MARIANA);
    expect((await importOf(olga, id)).mapping).toEqual([
      'company',
      'employeeName',
      'cpf',
      'registration',
      'hiredOn',
      'position',
      'salary',
      'weeklyHours',
      'establishment',
      'periodStart',
      'absences',
      'takenDays',
    ]);
  });

  test('says of each row what it does, or what is wrong, before anything is stored', async () => {
    const id = await checked(
      MARIANA,
      'au-101;João Pedro Nunes;341.270.230-74;2;01/02/2024;Atendente;;;;;;',
      'au-101;João Pedro Nunes;341.270.230-74;2;01/02/2024;;;;;;;',
      'AU-999;Unknown;341.270.230-74;3;01/02/2024;;;;;;;',
      'AU-101;Zero lost;9448224605;4;01/02/2024;;;;;;;',
      'AU-101;Wrong digit;34127023075;5;01/02/2024;;;;;;;',
      'AU-101;;97200789879;6;01/02/2024;;;;;;;',
      'AU-101;Wrong day;97200789879;7;31/02/2024;;;;;;;',
      'AU-101;Other place;97200789879;8;01/02/2024;;;;11.222.333/0001-81;;;',
      'AU-101;Salary;97200789879;9;01/02/2024;;much;;;;;',
    );
    expect(await rowsOf(id)).toEqual([
      ['create', ''],
      ['update', 'position'],
      ['problem', 'The same record is already on line 3.'],
      ['problem', 'No client has this number.'],
      ['problem', 'CPF has lost zeros at its beginning. Is it 094.482.246-05?'],
      ['problem', 'CPF isn’t a valid number. Check its digits.'],
      ['problem', 'Name is missing.'],
      ['problem', 'Admission isn’t valid.'],
      ['problem', 'Establishment isn’t valid.'],
      ['problem', expect.stringContaining('Salary')],
    ]);
    expect((await current()).map(({ name }) => name)).toEqual(['João Pedro Nunes']);
    await repairNumbers(olga, id);
    await runDueJobs();
    expect((await rowsOf(id))[4]).toEqual(['create', '']);
  });

  test('adds and updates, and is undone as a whole', async () => {
    const id = await checked(
      MARIANA,
      'AU-101;Mariana Alves Ferreira;094.482.246-05;1;10/03/2021;Padeira;;;;10/03/2024;;30',
      'AU-101;João Pedro Nunes;341.270.230-74;2;01/02/2024;Atendente;;;;;;',
    );
    await confirmImport(olga, id, false);
    await runDueJobs();
    const [stored, mariana] = await current();
    expect(stored).toMatchObject({ id: joao.id, position: 'Atendente' });
    expect(await employeeOf(olga, mariana?.id ?? '')).toMatchObject({
      hiredOn: '2021-03-10',
      salaryCents: 350_000,
      weeklyMinutes: 2640,
      vacationPeriods: [
        { startsOn: '2024-03-10', absences: 0, takenDays: 30, soldDays: 0 },
        { startsOn: '2025-03-10', absences: 7, takenDays: 10, soldDays: 0 },
      ],
    });
    const file = await (await recordFile(olga, 'pt', 'employees.csv')).text();
    expect(file).toContain('094.482.246-05');
    await undoImport(olga, id);
    await runDueJobs();
    expect(await current()).toMatchObject([{ id: joao.id, position: '' }]);
  });
});
