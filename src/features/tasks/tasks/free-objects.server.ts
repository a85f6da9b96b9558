import type { Selectable } from 'kysely';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import type { TaskRow } from './scope.server.ts';
import { freeObject, type FreeObject, type TaskChange } from './tasks.ts';

/*
 * The free objects of a task and its steps. Firm and client write to the same one; what of it the firm has written is
 * kept beside it, because that is all the firm reads until the client submits.
 */

const objectIn = (json: string): FreeObject => JSON.parse(json) as FreeObject;

export const dataOf = (row: Pick<TaskRow, 'task_id' | 'data'>): FreeObject =>
  objectIn(decryptFrom('tasks.data', row.task_id, row.data));

export const dataOfStep = (step: Pick<TaskStepRow, 'step_id' | 'data'>): FreeObject =>
  objectIn(decryptFrom('task_steps.data', step.step_id, step.data));

type TaskState = Pick<TaskRow, 'status'>;
type TaskStepRow = Selectable<Tables['task_steps']>;

/** What the firm has stored in a task. Where that is not known, it is everything until the client has begun, then nothing. */
export const firmDataOf = (row: TaskState & Pick<TaskRow, 'task_id' | 'data' | 'firm_data'>): FreeObject => {
  if (row.firm_data !== null) return objectIn(decryptFrom('tasks.firm_data', row.task_id, row.firm_data));
  return row.status === 'New' ? dataOf(row) : {};
};

/** As {@link firmDataOf}, of a step. */
export const firmDataOfStep = (
  { status }: TaskState,
  step: Pick<TaskStepRow, 'step_id' | 'data' | 'firm_data'>,
): FreeObject => {
  if (step.firm_data !== null)
    return objectIn(decryptFrom('task_steps.firm_data', step.step_id, step.firm_data));
  return status === 'New' ? dataOfStep(step) : {};
};

type DataChange = Pick<TaskChange, 'data' | 'replace'>;

/** The columns of a task after a change of its free object by one side; INVALID if it becomes too large. */
export function changedData(row: TaskRow, change: DataChange, isByFirm: boolean) {
  if (change.data === undefined) return {};
  const firmData = merged(firmDataOf(row), isByFirm ? change : {});
  return {
    data: encryptFor('tasks.data', row.task_id, JSON.stringify(merged(dataOf(row), change))),
    firm_data: encryptFor('tasks.firm_data', row.task_id, JSON.stringify(firmData)),
  };
}

/** As {@link changedData}, of a step; also without a change, with the object that it has now. */
export function changedStepData(row: TaskState, step: TaskStepRow, change: DataChange, isByFirm: boolean) {
  const data = merged(dataOfStep(step), change);
  const firmData = merged(firmDataOfStep(row, step), isByFirm ? change : {});
  return {
    data,
    columns: {
      data: encryptFor('task_steps.data', step.step_id, JSON.stringify(data)),
      firm_data: encryptFor('task_steps.firm_data', step.step_id, JSON.stringify(firmData)),
    },
  };
}

/** The new free object: what came in on top of what is there, or instead of it. */
function merged(stored: FreeObject, { data, replace }: DataChange): FreeObject {
  if (data === undefined) return stored;
  const result = freeObject.safeParse(replace ? data : { ...stored, ...data });
  if (!result.success) throw new PortalError('INVALID', { field: 'data' });
  return result.data;
}
