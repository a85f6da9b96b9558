import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { asKeeper, assertSees } from './access.server.ts';
import { assertFits, changedFields, keep } from './changes.server.ts';
import { employeeInput, type EmployeeFields, type FieldName } from './employees.ts';
import { employeesOf, fieldsOf, ownRow, updateEmployee, type EmployeeRow } from './internal/store.server.ts';
import type { Source } from './schema.server.ts';

/** A change in the history of an employee. */
export interface Change {
  id: string;
  /** The version of the employee after it. */
  version: number;
  source: Source;
  at: number;
  by: string;
  /** The fields that changed; none for the first one. */
  fields: FieldName[];
  /** Whether the employee is as it left them, so that it can be undone. */
  canUndo: boolean;
}

const MAX_SHOWN = 50;

/** The newest changes of an employee, the last one first; FORBIDDEN, NOT_FOUND. */
export async function changesOf(actor: Actor, employeeId: string): Promise<Change[]> {
  assertSees(actor);
  const current = await currentFields(await ownRow(actor, employeeId));
  const rows = await db()
    .selectFrom('employee_changes')
    .innerJoin('contacts', 'contacts.contact_id', 'employee_changes.changed_by')
    .selectAll('employee_changes')
    .select('contacts.full_name')
    .where('employee_id', '=', employeeId)
    .orderBy('version', 'desc')
    .limit(MAX_SHOWN)
    .execute();
  return rows.map((row) => {
    const [before, after] = [snapshotOf(row, 'before'), snapshotOf(row, 'after')];
    return {
      id: row.change_id,
      version: row.version,
      source: row.source,
      at: row.changed_at,
      by: row.full_name,
      fields: before && after ? changedFields(before, after) : [],
      canUndo: isAs(current, after),
    };
  });
}

const currentFields = async (row: EmployeeRow): Promise<EmployeeFields | undefined> =>
  (await fieldsOf([row])).get(row.employee_id);

const isAs = (current: EmployeeFields | undefined, after: EmployeeFields | null): boolean =>
  current !== undefined && after !== null && changedFields(current, after).length === 0;

type Snapshots = { change_id: string; before: string | null; after: string | null };

function snapshotOf(row: Snapshots, column: 'before' | 'after'): EmployeeFields | null {
  const stored = row[column];
  if (stored === null) return null;
  return employeeInput.parse(JSON.parse(decryptFrom(`employee_changes.${column}`, row.change_id, stored)));
}

/** The newest change that a reply to a request has made of an employee who is still there; undefined once it was undone. */
export async function changeOfRequest(actor: Actor, requestId: string): Promise<string | undefined> {
  assertSees(actor);
  const change = await db()
    .selectFrom('employee_changes')
    .selectAll()
    .where('request_id', '=', requestId)
    .orderBy('changed_at', 'desc')
    .orderBy('version', 'desc')
    .executeTakeFirst();
  if (!change) return undefined;
  const row = await employeesOf(actor)
    .selectAll('employees')
    .where('employee_id', '=', change.employee_id)
    .executeTakeFirst();
  const before = snapshotOf(change, 'before');
  return row && !(before && isAs(await currentFields(row), before)) ? change.change_id : undefined;
}

/**
 * Undoes a change: what it changed is again as before, which is a change itself. An employee that it added is removed.
 * CHANGED if the employee is no longer as it left them, INVALID if it no longer fits, FORBIDDEN, NOT_FOUND.
 */
export const undoChange = (actor: Actor, changeId: string): Promise<void> =>
  asKeeper(actor, async (current) => {
    const change = await db()
      .selectFrom('employee_changes')
      .selectAll()
      .where('change_id', '=', changeId)
      .executeTakeFirst();
    if (!change) throw notFound();
    const row = await ownRow(current, change.employee_id);
    const [before, after] = [snapshotOf(change, 'before'), snapshotOf(change, 'after')];
    if (!isAs(await currentFields(row), after)) throw new PortalError('CHANGED');
    const [employeeId, clientId] = [row.employee_id, row.client_id];
    if (before) {
      await assertFits(current, { clientId, employeeId }, before);
      await updateEmployee(row, before, now());
    } else
      await db()
        .updateTable('employees')
        .set({ deleted_at: now(), version: row.version + 1 })
        .where('employee_id', '=', employeeId)
        .execute();
    await keep(current, {
      employeeId,
      clientId,
      version: row.version + 1,
      source: 'staff',
      before: after,
      after: before,
    });
  });
