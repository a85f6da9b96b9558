import { assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { employeesInPeriod, type EmployeeOfPeriod } from '#features/brazil/employees/employees.server.ts';
import { db } from '#platform/database/database.server.ts';
import { assertSees, writesEntries } from './access.server.ts';
import { checkSheet, type CheckedRow, type Finding } from './checks.ts';
import {
  cellsIn,
  loadCells,
  loadColumns,
  filledIn,
  readLate,
  replyOf,
  returnedOf,
  sheetRow,
  sheetsOf,
  undoOf,
  type Cells,
  type LateChange,
  type Returned,
  type SheetRow,
} from './internal/rows.server.ts';
import { daysOfMonth, firstDay, lastDay, previousMonth } from './months.ts';
import { stateOf, type State, type Status } from './payroll-entries.ts';
import type { EntryColumn } from './values.ts';

/* Reading sheets: their firm, and the contacts of their client with the service requests. */

export interface Sheet {
  id: string;
  clientId: string;
  listId: string;
  name: string;
  competence: string;
  status: Status;
  state: State;
  dueOn: string;
  rowsFilled: number;
  cellsFilled: number;
  submission: number;
  submittedAt: number | null;
  closedAt: number | null;
  version: number;
}

export const presentSheet = (row: SheetRow): Sheet => ({
  id: row.sheet_id,
  clientId: row.client_id,
  listId: row.list_id,
  name: row.name,
  competence: row.competence,
  status: row.status,
  state: stateOf({
    status: row.status,
    isClosed: row.closed_at !== null,
    cellsFilled: Number(row.cells_filled),
  }),
  dueOn: row.due_on,
  rowsFilled: Number(row.rows_filled),
  cellsFilled: Number(row.cells_filled),
  submission: Number(row.submission),
  submittedAt: row.submitted_at,
  closedAt: row.closed_at,
  version: Number(row.version),
});

/** The newest sheets that a client list shows. */
const MAX_LISTED = 60;

/** The sheets of a client, the newest month first; of one month only, if it is given. FORBIDDEN, NOT_FOUND. */
export async function listSheets(actor: Actor, clientId: string, competence?: string): Promise<Sheet[]> {
  assertSees(actor);
  await assertActsFor(actor, clientId);
  const rows = await sheetsOf(actor)
    .selectAll('payroll_sheets')
    .select('payroll_lists.name')
    .where('payroll_sheets.client_id', '=', clientId)
    .$if(competence !== undefined, (all) => all.where('competence', '=', competence ?? ''))
    .orderBy('competence', 'desc')
    .orderBy('payroll_lists.name')
    .orderBy('sheet_id')
    .limit(MAX_LISTED)
    .execute();
  return rows.map(presentSheet);
}

/** An employee on a sheet, with what is filled in. */
export interface SheetEntry {
  employee: EmployeeOfPeriod;
  cells: Cells;
  isEmployed: boolean;
}

/** The columns of a sheet, and its employees with what is filled in. */
export interface FilledSheet {
  columns: EntryColumn[];
  entries: SheetEntry[];
}

export interface OpenedSheet extends FilledSheet {
  sheet: Sheet;
  returned: Returned | undefined;
  /** What the firm has replied; empty where it has not. */
  reply: string;
  /** How many cells the last paste, import or copy has changed. */
  undoable: number;
  /** Whether the actor may fill it in now. */
  isOpen: boolean;
}

/** A sheet with all its employees; FORBIDDEN, NOT_FOUND. */
export const openSheet = async (actor: Actor, sheetId: string): Promise<OpenedSheet> =>
  opened(actor, await sheetRow(actor, sheetId));

export async function opened(actor: Actor, row: SheetRow): Promise<OpenedSheet> {
  const sheet = presentSheet(row);
  const isOpen = row.closed_at === null && row.status !== 'submitted' && writesEntries(actor);
  return {
    sheet,
    ...(await filledSheet(actor, row)),
    returned: row.status === 'returned' ? returnedOf(row) : undefined,
    reply: replyOf(row),
    undoable: isOpen ? undoOf(row).length : 0,
    isOpen,
  };
}

export const filledSheet = async (actor: Actor, row: SheetRow): Promise<FilledSheet> => ({
  columns: await loadColumns(row),
  entries: await loadEntries(actor, row),
});

/** The employees of the month by name, with those who have entries although they do not work there any more. */
async function loadEntries(actor: Actor, row: SheetRow): Promise<SheetEntry[]> {
  const cells = await loadCells(row.sheet_id);
  const [first, last] = [firstDay(row.competence), lastDay(row.competence)];
  const employees = await employeesInPeriod(actor, row.client_id, {
    first,
    last,
    alsoIds: [...cells.keys()],
  });
  return employees
    .map((employee) => ({
      employee,
      cells: cells.get(employee.id) ?? {},
      isEmployed: employee.hiredOn <= last && (employee.endedOn === '' || employee.endedOn >= first),
    }))
    .filter(({ cells: own, isEmployed }) => isEmployed || filledIn(own).size > 0);
}

/** Whether a cell may be changed: of a sheet that was returned for some cells, only these. */
export const isCellOpen = (returned: Returned | undefined, employeeId: string, column: string): boolean =>
  !returned ||
  returned.cells.length === 0 ||
  returned.cells.some((cell) => cell.employeeId === employeeId && cell.column === column);

export interface Total {
  column: string;
  total: number;
  count: number;
}

/** The total of each column, and how many employees have a value in it. */
export const totalsOf = ({ columns, entries }: FilledSheet): Total[] =>
  columns.map(({ key }) => {
    const values = entries.flatMap(({ cells }) => cells[key]?.value ?? []);
    return { column: key, total: values.reduce((sum, value) => sum + value, 0), count: values.length };
  });

/** What of a sheet is to be corrected or looked at before it is sent. */
export async function findIssues({
  sheet,
  columns,
  entries,
}: Pick<OpenedSheet, 'sheet' | 'columns' | 'entries'>): Promise<Finding[]> {
  const means = await loadMeans(sheet);
  const [first, last] = [firstDay(sheet.competence), lastDay(sheet.competence)];
  const rows = entries.map(({ employee, cells, isEmployed }): CheckedRow => ({
    employeeId: employee.id,
    values: filledIn(cells),
    isEmployed,
    isAway: employee.leaves.some(
      ({ startsOn, endsOn }) => startsOn <= first && (endsOn === '' || endsOn >= last),
    ),
    means: means.get(employee.id) ?? new Map(),
  }));
  return checkSheet(columns, rows, daysOfMonth(sheet.competence));
}

/** The mean of each column in the three months before, by employee. */
async function loadMeans({ clientId, listId, competence }: Sheet): Promise<Map<string, Map<string, number>>> {
  const earliest = previousMonth(previousMonth(previousMonth(competence)));
  const rows = await db()
    .selectFrom('payroll_rows')
    .innerJoin('payroll_sheets', 'payroll_sheets.sheet_id', 'payroll_rows.sheet_id')
    .selectAll('payroll_rows')
    .where('payroll_sheets.client_id', '=', clientId)
    .where('payroll_sheets.list_id', '=', listId)
    .where('payroll_sheets.competence', '>=', earliest)
    .where('payroll_sheets.competence', '<', competence)
    .execute();
  const values = new Map<string, Map<string, number[]>>();
  for (const row of rows)
    for (const [key, value] of filledIn(cellsIn(row))) {
      const own = values.get(row.employee_id) ?? new Map<string, number[]>();
      values.set(row.employee_id, own.set(key, [...(own.get(key) ?? []), value]));
    }
  return new Map(
    [...values].map(([id, own]) => [
      id,
      new Map([...own].map(([key, all]) => [key, all.reduce((a, b) => a + b, 0) / all.length])),
    ]),
  );
}

export interface LateEntry {
  id: string;
  typedAt: number;
  typedBy: string;
  /** The person's name. */
  by: string;
  changes: LateChange[];
}

/** What was typed into a sheet after it was closed, the newest first; FORBIDDEN, NOT_FOUND. */
export async function listLateEntries(actor: Actor, sheetId: string): Promise<LateEntry[]> {
  await sheetRow(actor, sheetId);
  const rows = await db()
    .selectFrom('payroll_late_entries')
    .leftJoin('contacts', 'contacts.contact_id', 'payroll_late_entries.typed_by')
    .selectAll('payroll_late_entries')
    .select('contacts.full_name')
    .where('sheet_id', '=', sheetId)
    .orderBy('typed_at', 'desc')
    .orderBy('late_id')
    .execute();
  return rows.map((row) => ({
    id: row.late_id,
    typedAt: row.typed_at,
    typedBy: row.typed_by,
    by: row.full_name ?? row.typed_by,
    changes: readLate(row.late_id, row.cells),
  }));
}
