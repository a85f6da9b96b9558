import type { Actor } from '#features/base/people/people.ts';
import { mergeDecision, NO_EDITOR } from '#features/tasks/answer-editor/merging.ts';
import { db } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { asCurrent, assertWrites } from './access.server.ts';
import {
  countFilled,
  lockSheet,
  readLate,
  returnedOf,
  storeCells,
  undoOf,
  type Cells,
  type Returned,
  type SheetRow,
  type Undo,
} from './internal/rows.server.ts';
import type { CellChange, Outcome } from './payroll-entries.ts';
import { filledSheet, isCellOpen, type FilledSheet } from './sheets.server.ts';
import { maxStored, type EntryColumn } from './values.ts';

/* Filling in a sheet. Each cell has a version: a change that is based on another one overwrites nothing. */

/**
 * Stores changes of cells, each judged by itself, and says what became of each. A change of a cell that somebody else has
 * changed is a conflict and stored nowhere. CLOSED if the sheet was closed: what was typed is kept then, and can be
 * downloaded; NOT_POSSIBLE if it was sent. FORBIDDEN, NOT_FOUND.
 */
export async function saveCells(
  actor: Actor,
  sheetId: string,
  changes: readonly CellChange[],
): Promise<Outcome[]> {
  const outcomes = await asCurrent(actor, assertWrites, async (current) => {
    const row = await lockSheet(current, sheetId);
    if (row.closed_at !== null) {
      await keepLate(current, row, changes);
      return undefined; // what is kept is committed before the refusal
    }
    if (row.status === 'submitted') throw new PortalError('NOT_POSSIBLE');
    return (await storeChanges(current, row, await filledSheet(current, row), changes)).outcomes;
  });
  if (!outcomes) throw new PortalError('CLOSED');
  return outcomes;
}

/** Stores several changes as one step, which can be undone; nothing if one of them is a conflict. As `saveCells`. */
export async function saveStep(
  actor: Actor,
  sheetId: string,
  changesOf: (row: SheetRow, filled: FilledSheet) => Promise<readonly CellChange[]> | readonly CellChange[],
): Promise<number> {
  const saved = await asCurrent(actor, assertWrites, async (current) => {
    const row = await lockSheet(current, sheetId);
    const filled = await filledSheet(current, row);
    const changes = await changesOf(row, filled);
    if (row.closed_at !== null) {
      await keepLate(current, row, changes);
      return undefined;
    }
    if (row.status === 'submitted') throw new PortalError('NOT_POSSIBLE');
    const { outcomes, undo } = await storeChanges(current, row, filled, changes);
    if (outcomes.some(({ kind }) => kind === 'conflict')) throw new PortalError('EDIT_CONFLICT');
    if (undo.length > 0)
      await db()
        .updateTable('payroll_sheets')
        .set({ undo: encryptFor('payroll_sheets.undo', sheetId, JSON.stringify(undo)) })
        .where('sheet_id', '=', sheetId)
        .execute();
    return undo.length;
  });
  if (saved === undefined) throw new PortalError('CLOSED');
  return saved;
}

/** Undoes the last paste, import or copy; cells that were changed since stay. Returns how many cells were restored. */
export const undoStep = (actor: Actor, sheetId: string): Promise<number> =>
  asCurrent(actor, assertWrites, async (current) => {
    const row = await lockSheet(current, sheetId);
    if (row.closed_at !== null) throw new PortalError('CLOSED');
    if (row.status === 'submitted') throw new PortalError('NOT_POSSIBLE');
    const steps = undoOf(row);
    const { undo } = await storeChanges(
      current,
      row,
      await filledSheet(current, row),
      steps.map(({ employeeId, column, before, version }) => ({
        employeeId,
        column,
        value: before,
        base: version,
      })),
    );
    await db().updateTable('payroll_sheets').set({ undo: null }).where('sheet_id', '=', sheetId).execute();
    return undo.length;
  });

/** Stores changes in the open transaction, in which the sheet is locked. */
async function storeChanges(
  actor: Actor,
  row: SheetRow,
  filled: FilledSheet,
  changes: readonly CellChange[],
): Promise<{ outcomes: Outcome[]; undo: Undo }> {
  const columns = new Map(filled.columns.map((column) => [column.key, column]));
  const stored = new Map(filled.entries.map(({ employee, cells }) => [employee.id, cells]));
  const returned = row.status === 'returned' ? returnedOf(row) : undefined;
  const changed = new Map<string, Cells>();
  const undo: Undo = [];
  const outcomes = changes.map((change): Outcome => {
    const { employeeId, column } = change;
    const cells = stored.get(employeeId);
    if (!cells) return { kind: 'refused', reason: 'unknown' };
    const refused = refusalOf(change, { column: columns.get(column), returned });
    if (refused) return { kind: 'refused', reason: refused };
    const cell = cells[column];
    const decision = decide(cells, change);
    if (decision === 'conflict')
      return { kind: 'conflict', version: cell?.version ?? 0, value: cell?.value ?? null };
    if (decision === 'same') return { kind: 'same', version: cell?.version ?? 0 };
    const version = (cell?.version ?? 0) + 1;
    undo.push({ employeeId, column, before: cell?.value ?? null, version });
    cells[column] = { value: change.value, version, at: now(), by: actor.contactId };
    changed.set(employeeId, cells);
    return { kind: 'saved', version };
  });
  if (changed.size > 0) {
    await storeCells(row.sheet_id, changed);
    await db()
      .updateTable('payroll_sheets')
      .set((e) => ({
        ...countFilled(stored.values()),
        version: e('version', '+', 1),
        changed_at: now(),
      }))
      .where('sheet_id', '=', row.sheet_id)
      .execute();
  }
  return { outcomes, undo };
}

function refusalOf(
  { employeeId, column: key, value }: CellChange,
  { column, returned }: { column: EntryColumn | undefined; returned: Returned | undefined },
): 'unknown' | 'value' | 'notOpen' | undefined {
  if (!column) return 'unknown';
  if (!isCellOpen(returned, employeeId, key)) return 'notOpen';
  return value !== null && !fits(column, value) ? 'value' : undefined;
}

/** Whether a value can be stored; the limits of the column are checked when the sheet is sent. */
const fits = ({ type, decimals }: EntryColumn, value: number): boolean =>
  value <= maxStored(type) && (type !== 'quantity' || value % 10 ** (2 - decimals) === 0);

/** What becomes of a change: as of an answer that others may change at the same time. */
function decide(cells: Cells, { column, value, base }: CellChange): 'write' | 'same' | 'conflict' {
  const cell = cells[column];
  if (!cell) return value === null ? 'same' : base === 0 ? 'write' : 'conflict';
  const asAnswer = (amount: number | null) => (amount === null ? null : String(amount));
  const { kind } = mergeDecision(
    {
      path: column,
      value: asAnswer(cell.value),
      version: cell.version,
      changedAt: cell.at,
      changedBy: cell.by,
      editor: NO_EDITOR,
    },
    undefined,
    { path: column, value: asAnswer(value), base },
  );
  return kind === 'superseded' ? 'conflict' : kind;
}

/** Keeps what somebody typed into a closed sheet, in the open transaction: one piece for each person, cell by cell the newest. */
async function keepLate(actor: Actor, row: SheetRow, changes: readonly CellChange[]): Promise<void> {
  const same = await db()
    .selectFrom('payroll_late_entries')
    .select(['late_id', 'cells'])
    .where('sheet_id', '=', row.sheet_id)
    .where('typed_by', '=', actor.contactId)
    .where('typed_at', '>=', row.closed_at ?? 0)
    .executeTakeFirst();
  const id = same?.late_id ?? newId('late');
  const before = same ? readLate(id, same.cells) : [];
  const all = new Map(
    [...before, ...changes].map(({ employeeId, column, value }) => [
      `${employeeId} ${column}`,
      { employeeId, column, value },
    ]),
  );
  const cells = encryptFor('payroll_late_entries.cells', id, JSON.stringify([...all.values()]));
  const typed = { cells, typed_at: now() };
  if (same) await db().updateTable('payroll_late_entries').set(typed).where('late_id', '=', id).execute();
  else
    await db()
      .insertInto('payroll_late_entries')
      .values({ late_id: id, sheet_id: row.sheet_id, typed_by: actor.contactId, ...typed })
      .execute();
}
