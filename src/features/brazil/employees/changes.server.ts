import { isDeepStrictEqual } from 'node:util';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { addDays } from '#features/base/work-calendars/days.ts';
import { db, fold } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { asKeeper } from './access.server.ts';
import { employeeOf, todayOf } from './employees.server.ts';
import {
  employeeChange,
  employeeInput,
  FIELD_NAMES,
  type Employee,
  type EmployeeChange,
  type EmployeeFields,
  type EmployeeInput,
  type EmployeeProblem,
  type FieldName,
} from './employees.ts';
import { cpfKey, fieldsOf, insertEmployee, ownRow, updateEmployee } from './internal/store.server.ts';
import type { Source } from './schema.server.ts';

/*
 * Changes of employees. Each is kept with all fields before and after it, so that it can be undone, by staff and with the
 * reply of a request that made it.
 */

const DAYS_AHEAD = 60;

interface Made {
  source?: Source;
  /** The request whose reply makes the change. */
  requestId?: string;
}

/**
 * Adds an employee to a client and returns them. INVALID with the problems by field, among them `taken` for a contract that
 * exists; FORBIDDEN, NOT_FOUND.
 */
export const addEmployee = (
  actor: Actor,
  clientId: string,
  input: EmployeeInput,
  { source = 'staff', requestId }: Made = {},
): Promise<Employee> =>
  asKeeper(actor, async (current) => {
    await assertKeepsClient(current, clientId);
    const fields = employeeInput.parse(input);
    await assertFits(current, { clientId }, fields);
    const [employeeId, at] = [newId('employee'), now()];
    const identity = { employee_id: employeeId, company_id: current.companyId, client_id: clientId };
    await insertEmployee(identity, fields, at);
    await keep(current, { employeeId, clientId, version: 1, source, requestId, before: null, after: fields });
    return employeeOf(current, employeeId);
  });

/**
 * Changes fields of an employee and returns them. EDIT_CONFLICT if `version` is given and not the current one; see
 * {@link addEmployee}.
 */
export const changeEmployee = (
  actor: Actor,
  employeeId: string,
  { version, ...input }: EmployeeChange & { version?: number },
  { source = 'staff', requestId }: Made = {},
): Promise<Employee> =>
  asKeeper(actor, async (current) => {
    const row = await ownRow(current, employeeId);
    if (version !== undefined && version !== row.version) throw new PortalError('EDIT_CONFLICT');
    const before = (await fieldsOf([row])).get(employeeId) as EmployeeFields;
    const after = employeeInput.parse({ ...before, ...employeeChange.parse(input) });
    if (changedFields(before, after).length > 0) {
      await assertFits(current, { clientId: row.client_id, employeeId }, after);
      await updateEmployee(row, after, now());
      await keep(current, {
        employeeId,
        clientId: row.client_id,
        version: row.version + 1,
        source,
        requestId,
        before,
        after,
      });
    }
    return employeeOf(current, employeeId);
  });

/** The fields whose values differ. */
export const changedFields = (before: EmployeeFields, after: EmployeeFields): FieldName[] =>
  FIELD_NAMES.filter((name) => !isDeepStrictEqual(before[name], after[name]));

async function assertKeepsClient(actor: Actor, clientId: string): Promise<void> {
  const own = await clientIdsOf(actor).where('clients.client_id', '=', clientId).executeTakeFirst();
  if (!own) throw notFound();
}

interface Kept {
  employeeId: string;
  clientId: string;
  version: number;
  source: Source;
  requestId?: string | undefined;
  before: EmployeeFields | null;
  after: EmployeeFields | null;
}

const ACTIONS = { add: 'employee.add', change: 'employee.change', remove: 'employee.remove' } as const;

/** Keeps a change, and notes it in the audit log with the names of its fields. */
export async function keep(
  { companyId, contactId }: Actor,
  { employeeId, clientId, version, source, requestId, before, after }: Kept,
): Promise<void> {
  const changeId = newId('change');
  const stored = (column: 'before' | 'after', fields: EmployeeFields | null): string | null =>
    fields && encryptFor(`employee_changes.${column}`, changeId, JSON.stringify(fields));
  await db()
    .insertInto('employee_changes')
    .values({
      change_id: changeId,
      employee_id: employeeId,
      version,
      source,
      request_id: requestId ?? null,
      changed_at: now(),
      changed_by: contactId,
      before: stored('before', before),
      after: stored('after', after),
    })
    .execute();
  const act = before === null ? 'add' : after === null ? 'remove' : 'change';
  const fields = before && after ? changedFields(before, after).join(' ') : '';
  await audit({
    companyId,
    actor: contactId,
    action: ACTIONS[act],
    target: employeeId,
    clientId,
    details: { ...(fields !== '' && { fields }), source },
  });
}

/** Throws INVALID unless the fields agree with each other, the client and its other employees. */
export async function assertFits(
  actor: Actor,
  { clientId, employeeId = '' }: { clientId: string; employeeId?: string },
  fields: EmployeeFields,
): Promise<void> {
  const problems = [
    ...disagreements(fields, await todayOf(actor)),
    ...(await unknownEstablishment(clientId, fields)),
    ...(await takenBy(clientId, employeeId, fields)),
  ];
  if (problems.length > 0) throw new PortalError('INVALID', { problems });
}

const wrong = (field: FieldName): EmployeeProblem => ({ field, problem: 'wrong' });

function disagreements(fields: EmployeeFields, today: string): EmployeeProblem[] {
  const { hiredOn, endedOn, endReason, contractEndsOn, trialEndsOn, bornOn } = fields;
  const isBefore = (day: string): boolean => day !== '' && day < hiredOn;
  return [
    ...(hiredOn > addDays(today, DAYS_AHEAD) ? [wrong('hiredOn')] : []),
    ...(bornOn !== '' && bornOn >= hiredOn ? [wrong('bornOn')] : []),
    ...(isBefore(endedOn) ? [wrong('endedOn')] : []),
    ...(endedOn === '' && endReason !== '' ? [wrong('endReason')] : []),
    ...(isBefore(contractEndsOn) ? [wrong('contractEndsOn')] : []),
    ...(isBefore(trialEndsOn) ? [wrong('trialEndsOn')] : []),
    ...(areDistinct(fields) ? [] : [wrong('vacationPeriods')]),
    ...(areApart(fields) ? [] : [wrong('leaves')]),
  ];
}

/** Whether no two years of vacation begin on the same day, and none before the contract. */
const areDistinct = ({ vacationPeriods, hiredOn }: EmployeeFields): boolean =>
  new Set(vacationPeriods.map(({ startsOn }) => startsOn)).size === vacationPeriods.length &&
  vacationPeriods.every(({ startsOn }) => startsOn >= hiredOn);

/** Whether leaves end after they begin, and none overlaps another one. */
function areApart({ leaves, hiredOn }: EmployeeFields): boolean {
  const sorted = leaves.toSorted((one, other) => (one.startsOn < other.startsOn ? -1 : 1));
  return sorted.every(({ startsOn, endsOn }, index) => {
    const next = sorted[index + 1]?.startsOn;
    const endsInTime = next === undefined || (endsOn !== '' && endsOn < next);
    return startsOn >= hiredOn && (endsOn === '' || endsOn >= startsOn) && endsInTime;
  });
}

/** One that was removed may stay. */
async function unknownEstablishment(
  clientId: string,
  { establishmentId }: EmployeeFields,
): Promise<EmployeeProblem[]> {
  if (establishmentId === '') return [];
  const row = await db()
    .selectFrom('establishments')
    .select('establishment_id')
    .where('establishment_id', '=', establishmentId)
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row ? [] : [wrong('establishmentId')];
}

/** The same contract of the client: CPF and registration. */
async function takenBy(
  clientId: string,
  employeeId: string,
  { cpf, registration }: EmployeeFields,
): Promise<EmployeeProblem[]> {
  const row = await db()
    .selectFrom('employees')
    .select('employee_id')
    .where('client_id', '=', clientId)
    .where('cpf_key', '=', await cpfKey(cpf))
    .where('registration_key', '=', fold(registration))
    .where('employee_id', '!=', employeeId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row ? [{ field: 'cpf', problem: 'taken' }] : [];
}
