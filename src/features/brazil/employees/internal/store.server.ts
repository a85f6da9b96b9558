import type { Selectable } from 'kysely';
import { z } from 'zod';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, fold, inBatches } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { employeeInput, kindOf, type EmployeeFields, type Leave } from '../employees.ts';

export type EmployeeRow = Selectable<Tables['employees']>;

/** What is stored together, since only the page of the employee shows it. */
const details = z.strictObject({
  cbo: z.string(),
  salaryCents: z.int().nullable(),
  salaryUnit: employeeInput.shape.salaryUnit.unwrap(),
  weeklyMinutes: z.int().nullable(),
  bornOn: z.string(),
  contractEndsOn: z.string(),
  trialEndsOn: z.string(),
  endReason: z.string(),
});

export const cpfKey = (cpf: string): Promise<string> => blindIndex(`employee-cpf:${cpf}`);

/** The employees of the actor's clients. */
export const employeesOf = (actor: Actor) =>
  db()
    .selectFrom('employees')
    .where('employees.client_id', 'in', clientIdsOf(actor))
    .where('employees.deleted_at', 'is', null);

/** An employee of one of the actor's clients; NOT_FOUND. */
export async function ownRow(actor: Actor, employeeId: string): Promise<EmployeeRow> {
  const row = await employeesOf(actor)
    .selectAll('employees')
    .where('employee_id', '=', employeeId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

export const cpfOf = ({ employee_id: id, cpf }: Pick<EmployeeRow, 'employee_id' | 'cpf'>): string =>
  decryptFrom('employees.cpf', id, cpf);

/** All fields of employees, by their ids. */
export async function fieldsOf(rows: readonly EmployeeRow[]): Promise<Map<string, EmployeeFields>> {
  const ids = rows.map((row) => row.employee_id);
  const [periods, leaves] = [await periodsOf(ids), await leavesOf(ids)];
  return new Map(
    rows.map((row) => [
      row.employee_id,
      {
        name: row.name,
        cpf: cpfOf(row),
        registration: row.registration,
        category: row.category,
        hiredOn: row.hired_on,
        position: row.position,
        establishmentId: row.establishment_id ?? '',
        endedOn: row.ended_on,
        ...details.parse(JSON.parse(decryptFrom('employees.details', row.employee_id, row.details))),
        vacationPeriods: periods.get(row.employee_id) ?? [],
        leaves: leaves.get(row.employee_id) ?? [],
      },
    ]),
  );
}

async function periodsOf(ids: readonly string[]) {
  const rows = [];
  for (const some of inBatches(ids))
    rows.push(
      ...(await db()
        .selectFrom('vacation_periods')
        .selectAll()
        .where('employee_id', 'in', some)
        .orderBy('employee_id')
        .orderBy('starts_on')
        .execute()),
    );
  const byEmployee = Map.groupBy(rows, (row) => row.employee_id);
  return new Map(
    [...byEmployee].map(([id, own]) => [
      id,
      own.map((row) => ({
        startsOn: row.starts_on,
        absences: Number(row.absences),
        takenDays: Number(row.taken_days),
        soldDays: Number(row.sold_days),
      })),
    ]),
  );
}

/** The leaves of employees, by their ids; those of a day only, if it is given. */
export async function leavesOf(ids: readonly string[], on?: string): Promise<Map<string, Leave[]>> {
  const rows = [];
  for (const some of inBatches(ids))
    rows.push(
      ...(await db()
        .selectFrom('employee_leaves')
        .selectAll()
        .where('employee_id', 'in', some)
        .$if(on !== undefined, (all) =>
          all
            .where('starts_on', '<=', on ?? '')
            .where((e) => e.or([e('ends_on', '=', ''), e('ends_on', '>=', on ?? '')])),
        )
        .orderBy('employee_id')
        .orderBy('starts_on')
        .execute()),
    );
  const byEmployee = Map.groupBy(rows, (row) => row.employee_id);
  return new Map(
    [...byEmployee].map(([id, own]) => [
      id,
      own.map((row) => ({
        startsOn: row.starts_on,
        endsOn: row.ends_on,
        reason: decryptFrom('employee_leaves.reason', `${id}/${row.starts_on}`, row.reason),
      })),
    ]),
  );
}

/** The columns of an employee with these fields. */
async function columnsOf(employeeId: string, fields: EmployeeFields) {
  return {
    name: fields.name,
    name_key: fold(fields.name),
    cpf: encryptFor('employees.cpf', employeeId, fields.cpf),
    cpf_key: await cpfKey(fields.cpf),
    registration: fields.registration,
    registration_key: fold(fields.registration),
    category: fields.category,
    kind: kindOf(fields.category),
    hired_on: fields.hiredOn,
    position: fields.position,
    establishment_id: fields.establishmentId || null,
    ended_on: fields.endedOn,
    details: encryptFor(
      'employees.details',
      employeeId,
      JSON.stringify(z.object(details.shape).parse(fields)),
    ),
  };
}

type Identity = Pick<EmployeeRow, 'employee_id' | 'company_id' | 'client_id'>;

export async function insertEmployee(identity: Identity, fields: EmployeeFields, at: number): Promise<void> {
  const columns = await columnsOf(identity.employee_id, fields);
  const row = { ...identity, ...columns, version: 1, created_at: at, modified_at: at, deleted_at: null };
  await db().insertInto('employees').values(row).execute();
  await storeLists(identity.employee_id, fields);
}

export async function updateEmployee(
  { employee_id: id, version }: Pick<EmployeeRow, 'employee_id' | 'version'>,
  fields: EmployeeFields,
  at: number,
): Promise<void> {
  await db()
    .updateTable('employees')
    .set({ ...(await columnsOf(id, fields)), version: version + 1, modified_at: at, deleted_at: null })
    .where('employee_id', '=', id)
    .execute();
  for (const table of ['vacation_periods', 'employee_leaves'] as const)
    await db().deleteFrom(table).where('employee_id', '=', id).execute();
  await storeLists(id, fields);
}

async function storeLists(id: string, { vacationPeriods, leaves }: EmployeeFields): Promise<void> {
  if (vacationPeriods.length > 0)
    await db()
      .insertInto('vacation_periods')
      .values(
        vacationPeriods.map(({ startsOn, absences, takenDays, soldDays }) => ({
          employee_id: id,
          starts_on: startsOn,
          absences,
          taken_days: takenDays,
          sold_days: soldDays,
        })),
      )
      .execute();
  if (leaves.length > 0)
    await db()
      .insertInto('employee_leaves')
      .values(
        leaves.map(({ startsOn, endsOn, reason }) => ({
          employee_id: id,
          starts_on: startsOn,
          ends_on: endsOn,
          reason: encryptFor('employee_leaves.reason', `${id}/${startsOn}`, reason),
        })),
      )
      .execute();
}
