import type { Selectable } from 'kysely';
import { z } from 'zod';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, inBatches, lockRows } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { assertSees } from '../access.server.ts';
import { columnList } from '../payroll-entries.ts';
import type { EntryColumn } from '../values.ts';

export type SheetRow = Selectable<Tables['payroll_sheets']> & { name: string };
export type ListRow = Selectable<Tables['payroll_lists']>;

/** The sheets of the actor's clients, with the names of their lists. */
export const sheetsOf = (actor: Actor) =>
  db()
    .selectFrom('payroll_sheets')
    .innerJoin('payroll_lists', 'payroll_lists.list_id', 'payroll_sheets.list_id')
    .where('payroll_sheets.company_id', '=', actor.companyId)
    .where('payroll_sheets.client_id', 'in', clientIdsOf(actor));

/** A sheet that the actor sees; FORBIDDEN, NOT_FOUND. */
export async function sheetRow(actor: Actor, sheetId: string): Promise<SheetRow> {
  assertSees(actor);
  const row = await sheetsOf(actor)
    .selectAll('payroll_sheets')
    .select('payroll_lists.name')
    .where('payroll_sheets.sheet_id', '=', sheetId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** The same for a change: locked until the end of the transaction. */
export async function lockSheet(actor: Actor, sheetId: string): Promise<SheetRow> {
  await sheetRow(actor, sheetId);
  await db()
    .selectFrom('payroll_sheets')
    .select('sheet_id')
    .where('sheet_id', '=', sheetId)
    .modifyEnd(lockRows)
    .execute();
  return sheetRow(actor, sheetId);
}

/** The columns of a sheet, as they were published. */
export async function loadColumns({
  list_id: listId,
  list_version: version,
}: Pick<SheetRow, 'list_id' | 'list_version'>): Promise<EntryColumn[]> {
  const row = await db()
    .selectFrom('payroll_list_versions')
    .select('columns')
    .where('list_id', '=', listId)
    .where('version', '=', version)
    .executeTakeFirst();
  return row ? readColumns(row.columns) : [];
}

export const readColumns = (json: string): EntryColumn[] => columnList.parse(JSON.parse(json));

/** A list of the firm; NOT_FOUND. */
export async function listRow({ companyId }: Actor, listId: string): Promise<ListRow> {
  const row = await db()
    .selectFrom('payroll_lists')
    .selectAll()
    .where('list_id', '=', listId)
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** A cell with who typed it; an emptied one keeps its version. */
const storedCell = z.strictObject({
  value: z.int().nullable(),
  version: z.int(),
  at: z.int(),
  by: z.string(),
});
type StoredCell = z.output<typeof storedCell>;
export type Cells = Record<string, StoredCell>;
const cells = z.record(z.string(), storedCell);

const cellsKey = (sheetId: string, employeeId: string): string => `${sheetId}/${employeeId}`;

/** The cells of a sheet by employee; those of some employees only, if their ids are given. */
export async function loadCells(
  sheetId: string,
  employeeIds?: readonly string[],
): Promise<Map<string, Cells>> {
  if (employeeIds?.length === 0) return new Map();
  const rows = await db()
    .selectFrom('payroll_rows')
    .selectAll()
    .where('sheet_id', '=', sheetId)
    .$if(employeeIds !== undefined, (all) => all.where('employee_id', 'in', employeeIds ?? []))
    .execute();
  return new Map(rows.map((row) => [row.employee_id, cellsIn(row)]));
}

export const cellsIn = ({
  sheet_id: sheetId,
  employee_id: employeeId,
  cells: encrypted,
}: Pick<Selectable<Tables['payroll_rows']>, 'sheet_id' | 'employee_id' | 'cells'>): Cells =>
  cells.parse(JSON.parse(decryptFrom('payroll_rows.cells', cellsKey(sheetId, employeeId), encrypted)));

/** Stores the cells of employees by their ids, in the open transaction. */
export async function storeCells(sheetId: string, changed: ReadonlyMap<string, Cells>): Promise<void> {
  const rows = [...changed].map(([employeeId, own]) => ({
    sheet_id: sheetId,
    employee_id: employeeId,
    cells: encryptFor('payroll_rows.cells', cellsKey(sheetId, employeeId), JSON.stringify(own)),
    version: 1,
  }));
  for (const some of inBatches(rows))
    await db()
      .insertInto('payroll_rows')
      .values(some)
      .onConflict((conflict) =>
        conflict.columns(['sheet_id', 'employee_id']).doUpdateSet((e) => ({
          cells: e.ref('excluded.cells'),
          version: e('payroll_rows.version', '+', 1),
        })),
      )
      .execute();
}

const returned = z.strictObject({
  reason: z.string(),
  cells: z.array(z.strictObject({ employeeId: z.string(), column: z.string() })),
});
export type Returned = z.output<typeof returned>;

/** What the firm has replied; empty where it has not. */
export const replyOf = (row: Pick<SheetRow, 'sheet_id' | 'reply'>): string =>
  row.reply === null ? '' : decryptFrom('payroll_sheets.reply', row.sheet_id, row.reply);

/** Why a sheet was returned, and the cells that are open. */
export const returnedOf = (row: Pick<SheetRow, 'sheet_id' | 'returned'>): Returned | undefined =>
  row.returned === null
    ? undefined
    : returned.parse(JSON.parse(decryptFrom('payroll_sheets.returned', row.sheet_id, row.returned)));

const undo = z.array(
  z.strictObject({
    employeeId: z.string(),
    column: z.string(),
    before: z.int().nullable(),
    /** Its version afterwards: a cell that was changed since stays. */
    version: z.int(),
  }),
);
export type Undo = z.output<typeof undo>;

/** The cells before the last paste, import or copy. */
export const undoOf = (row: Pick<SheetRow, 'sheet_id' | 'undo'>): Undo =>
  row.undo === null ? [] : undo.parse(JSON.parse(decryptFrom('payroll_sheets.undo', row.sheet_id, row.undo)));

const lateChanges = z.array(
  z.strictObject({ employeeId: z.string(), column: z.string(), value: z.int().nullable() }),
);
export type LateChange = z.output<typeof lateChanges>[number];

/** What somebody typed into a closed sheet. */
export const readLate = (lateId: string, encrypted: string): LateChange[] =>
  lateChanges.parse(JSON.parse(decryptFrom('payroll_late_entries.cells', lateId, encrypted)));

/** The values that are filled in, by the keys of their columns. */
export const filledIn = (own: Cells): Map<string, number> =>
  new Map(Object.entries(own).flatMap(([key, { value }]) => (value === null ? [] : [[key, value] as const])));

/** How many employees of a sheet have a value, and how many values there are, as the sheet stores it. */
export function countFilled(rows: Iterable<Cells>): { rows_filled: number; cells_filled: number } {
  const counts = Array.from(rows, (own) => filledIn(own).size);
  return {
    rows_filled: counts.filter((count) => count > 0).length,
    cells_filled: counts.reduce((sum, count) => sum + count, 0),
  };
}
