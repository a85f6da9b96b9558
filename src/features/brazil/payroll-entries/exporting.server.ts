import { db } from '#platform/database/database.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { cellsIn, loadColumns, readLate, replyOf, returnedOf } from './internal/rows.server.ts';
import { stateOf } from './payroll-entries.ts';
import { STATE_TEXTS } from './texts.ts';
import { plainText, type EntryColumn } from './values.ts';

/** Sheets, their entries, and what was typed too late, in an export of all data. */
export const exportedEntries: Contributions['exports'] = [
  {
    of: 'client',
    name: 'payroll-sheets.csv',
    text: text('payroll-entries', 'exportSheets'),
    content: ({ lang }, { ids }) => {
      const t = translationsFor(lang, 'payroll-entries');
      return exportedTable(
        lang,
        [
          'name',
          'month',
          'status',
          'dueOn',
          'submittedAt',
          'submission',
          'reason',
          'reply',
          'lockedAt',
          'version',
          'id',
        ],
        eachRow(sheetsIn(ids), (row) => ({
          id: row.sheet_id,
          name: row.name,
          month: row.competence,
          status: t(
            STATE_TEXTS[
              stateOf({
                status: row.status,
                isClosed: row.closed_at !== null,
                cellsFilled: Number(row.cells_filled),
              })
            ],
          ),
          dueOn: row.due_on,
          submittedAt: { at: row.submitted_at },
          submission: Number(row.submission),
          reason: returnedOf(row)?.reason ?? '',
          reply: replyOf(row),
          lockedAt: { at: row.closed_at },
          version: Number(row.version),
        })),
      );
    },
  },
  {
    of: 'client',
    name: 'payroll-entries.csv',
    text: text('payroll-entries', 'exportEntries'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['name', 'month', 'contactName', 'label', 'code', 'value', 'by', 'at', 'id'],
        entriesIn(ids),
      ),
  },
  {
    of: 'client',
    name: 'payroll-late-entries.csv',
    text: text('payroll-entries', 'exportLate'),
    content: ({ lang }, { ids }) =>
      exportedTable(lang, ['month', 'label', 'value', 'by', 'at', 'id'], lateIn(ids)),
  },
];

const sheetsIn = (clientIds: readonly string[]) =>
  rowPages(['payroll_sheets.sheet_id'], (page) =>
    db()
      .selectFrom('payroll_sheets')
      .innerJoin('payroll_lists', 'payroll_lists.list_id', 'payroll_sheets.list_id')
      .selectAll('payroll_sheets')
      .select('payroll_lists.name')
      .where('payroll_sheets.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );

/** The rows of some employees, since each has many cells. */
const ROWS = 100;

async function* entriesIn(clientIds: readonly string[]) {
  const pages = rowPages(
    ['payroll_rows.sheet_id', 'payroll_rows.employee_id'],
    (page) =>
      db()
        .selectFrom('payroll_rows')
        .innerJoin('payroll_sheets', 'payroll_sheets.sheet_id', 'payroll_rows.sheet_id')
        .innerJoin('payroll_lists', 'payroll_lists.list_id', 'payroll_sheets.list_id')
        .innerJoin('employees', 'employees.employee_id', 'payroll_rows.employee_id')
        .selectAll('payroll_rows')
        .select([
          'payroll_sheets.competence',
          'payroll_sheets.list_id',
          'payroll_sheets.list_version',
          'payroll_lists.name',
          'employees.name as employee',
        ])
        .where('payroll_sheets.client_id', 'in', clientIds)
        .$call(page)
        .execute(),
    { size: ROWS },
  );
  const known = new Map<string, EntryColumn[]>();
  for await (const rows of pages)
    for (const row of rows) {
      const version = `${row.list_id}/${row.list_version}`;
      const columns = known.get(version) ?? (await loadColumns(row));
      known.set(version, columns);
      for (const [key, cell] of Object.entries(cellsIn(row))) {
        if (cell.value === null) continue;
        const column = columns.find((each) => each.key === key);
        yield {
          id: row.employee_id,
          name: row.name,
          month: row.competence,
          contactName: row.employee,
          label: column?.label ?? key,
          code: column?.code ?? '',
          value: column ? plainText(column, cell.value) : cell.value,
          by: cell.by,
          at: { at: cell.at },
        };
      }
    }
}

async function* lateIn(clientIds: readonly string[]) {
  const pages = rowPages(['payroll_late_entries.late_id'], (page) =>
    db()
      .selectFrom('payroll_late_entries')
      .innerJoin('payroll_sheets', 'payroll_sheets.sheet_id', 'payroll_late_entries.sheet_id')
      .leftJoin('contacts', 'contacts.contact_id', 'payroll_late_entries.typed_by')
      .selectAll('payroll_late_entries')
      .select([
        'payroll_sheets.competence',
        'payroll_sheets.list_id',
        'payroll_sheets.list_version',
        'contacts.full_name',
      ])
      .where('payroll_sheets.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );
  for await (const rows of pages)
    for (const row of rows) {
      const columns = new Map((await loadColumns(row)).map((column) => [column.key, column]));
      for (const { employeeId, column: key, value } of readLate(row.late_id, row.cells)) {
        const column = columns.get(key);
        yield {
          id: employeeId,
          month: row.competence,
          label: column?.label ?? key,
          value: column && value !== null ? plainText(column, value) : (value ?? ''),
          by: row.full_name ?? row.typed_by,
          at: { at: row.typed_at },
        };
      }
    }
}
