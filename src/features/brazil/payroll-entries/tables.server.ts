import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { employeesInPeriod } from '#features/brazil/employees/employees.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { csvOf, csvSeparator } from '#platform/tabular/csv-writer.ts';
import { writeXlsx } from '#platform/tabular/xlsx-writer.server.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { assertKeeps } from './access.server.ts';
import { loadCells, loadColumns, listRow, sheetsOf } from './internal/rows.server.ts';
import { firstDay, lastDay } from './months.ts';
import { listLateEntries, openSheet } from './sheets.server.ts';
import { plainText, typedText } from './values.ts';

/* Sheets as tables. Empty cells are not in them, and 0 is. */

/** The columns of the table for payroll programs: one row for each employee, month and value. Their names are fixed. */
const PROGRAM_COLUMNS = [
  'empresa',
  'matricula',
  'cpf',
  'rubrica',
  'descricao',
  'tipo',
  'valor',
  'competencia',
] as const;
const TYPES = { hours: 'horas', decimal: 'valor', quantity: 'quantidade' } as const;

export interface TableFile {
  name: string;
  type: string;
  content: string | AsyncIterable<Buffer>;
}

const CSV = 'text/csv; charset=utf-8';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** The entries of all clients of the actor in a list and a month, for payroll programs. FORBIDDEN, NOT_FOUND. */
export async function programTable(
  actor: Actor,
  listId: string,
  { competence, format }: { competence: string; format: 'csv' | 'xlsx' },
): Promise<TableFile> {
  assertKeeps(actor);
  const list = await listRow(actor, listId);
  await audit({
    companyId: actor.companyId,
    actor: actor.contactId,
    action: 'payroll-list.export',
    target: listId,
    details: { competence },
  });
  const rows = await programRows(actor, listId, competence);
  const name = `${list.name} ${competence}.${format}`;
  if (format === 'csv') return { name, type: CSV, content: csvOf(PROGRAM_COLUMNS, rows, ';') };
  const content = writeXlsx(each([[...PROGRAM_COLUMNS], ...rows]), {
    sheetName: competence,
    columns: PROGRAM_COLUMNS.length,
    modifiedAt: now(),
  });
  return { name, type: XLSX, content };
}

async function programRows(actor: Actor, listId: string, competence: string): Promise<string[][]> {
  const sheets = await sheetsOf(actor)
    .innerJoin('clients', 'clients.client_id', 'payroll_sheets.client_id')
    .selectAll('payroll_sheets')
    .select(['payroll_lists.name', 'clients.code', 'clients.name as client_name'])
    .where('payroll_sheets.list_id', '=', listId)
    .where('competence', '=', competence)
    .where('cells_filled', '>', 0)
    .where('payroll_sheets.client_id', 'in', clientIdsOf(actor))
    .orderBy('clients.name_key')
    .orderBy('sheet_id')
    .execute();
  const period = { first: firstDay(competence), last: lastDay(competence) };
  const rows: string[][] = [];
  for (const sheet of sheets) {
    const [columns, cells] = [await loadColumns(sheet), await loadCells(sheet.sheet_id)];
    const alsoIds = [...cells.keys()];
    for (const employee of await employeesInPeriod(actor, sheet.client_id, { ...period, alsoIds }))
      for (const column of columns) {
        const value = cells.get(employee.id)?.[column.key]?.value ?? null;
        if (value === null) continue;
        const company = sheet.code || sheet.client_name;
        rows.push([
          company,
          employee.registration,
          employee.cpf,
          column.code || column.key,
          column.label,
          TYPES[column.type],
          plainText(column, value),
          competence,
        ]);
      }
  }
  return rows;
}

/** A sheet as it is, with a row for each employee; without its values it is a model to fill in. FORBIDDEN, NOT_FOUND. */
export async function sheetTable(
  actor: Actor,
  sheetId: string,
  { lang, isModel }: { lang: Lang; isModel: boolean },
): Promise<TableFile> {
  const { sheet, columns, entries } = await openSheet(actor, sheetId);
  const t = translationsFor(lang, 'payroll-entries');
  const header = [t('columnRegistration'), t('columnEmployee'), ...columns.map(({ label }) => label)];
  const rows = entries.map(({ employee, cells }) => [
    employee.registration,
    employee.name,
    ...columns.map((column) =>
      isModel ? '' : typedText(column, cells[column.key]?.value ?? null, LANGUAGES[lang]),
    ),
  ]);
  return {
    name: `${sheet.name} ${sheet.competence}.csv`,
    type: CSV,
    content: csvOf(header, rows, csvSeparator(lang)),
  };
}

/** What was typed into a sheet after it was closed, with who typed it. FORBIDDEN, NOT_FOUND. */
export async function lateTable(actor: Actor, sheetId: string, lang: Lang): Promise<TableFile> {
  const { sheet, columns, entries } = await openSheet(actor, sheetId);
  const t = translationsFor(lang, 'payroll-entries');
  const late = await listLateEntries(actor, sheetId);
  const byKey = new Map(columns.map((column) => [column.key, column]));
  const employees = new Map(entries.map(({ employee }) => [employee.id, employee]));
  const rows = late.flatMap(({ by, typedAt, changes }) =>
    changes.map(({ employeeId, column: key, value }) => {
      const [column, employee] = [byKey.get(key), employees.get(employeeId)];
      return [
        employee?.registration ?? '',
        employee?.name ?? employeeId,
        column?.label ?? key,
        column ? typedText(column, value, LANGUAGES[lang]) : String(value ?? ''),
        by,
        new Date(typedAt).toISOString(),
      ];
    }),
  );
  const header = [
    t('columnRegistration'),
    t('columnEmployee'),
    t('columnEntry'),
    t('columnValue'),
    t('columnTypedBy'),
    t('columnTypedAt'),
  ];
  return {
    name: `${sheet.name} ${sheet.competence} ${t('lateFile')}.csv`,
    type: CSV,
    content: csvOf(header, rows, csvSeparator(lang)),
  };
}

async function* each<Row>(rows: readonly Row[]): AsyncGenerator<Row, void> {
  yield* rows;
}
