import { sql } from 'kysely';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { contains } from '#features/base/grids/filters.server.ts';
import { assertActsFor, clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, fold } from '#platform/database/database.server.ts';
import { withMask, withoutMask } from '#platform/inputs/masks.ts';
import { isTaxId } from '#platform/inputs/tax-ids.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { assertSees } from './access.server.ts';
import type { Employee, EmployeeFields, EmployeeQuery, Leave, ListedEmployee, State } from './employees.ts';
import { cpfKey, cpfOf, employeesOf, fieldsOf, leavesOf, ownRow } from './internal/store.server.ts';

/* Reading employees: their firm and, with the service requests, the contacts of their company. */

/** The firm's day. */
export const todayOf = async ({ companyId }: Pick<Actor, 'companyId'>): Promise<string> =>
  dayOf(now(), (await firmOf(companyId)).timeZone);

/** The employees of a client by name, a page of them; FORBIDDEN, NOT_FOUND. */
export async function listEmployees(
  actor: Actor,
  clientId: string,
  { filter, searchTerm, startIndex, itemsPerPage }: EmployeeQuery,
): Promise<{ items: ListedEmployee[]; totalItems: number }> {
  assertSees(actor);
  await assertActsFor(actor, clientId);
  const today = await todayOf(actor);
  const cpf = withoutMask('cpf', searchTerm);
  const key = isTaxId('cpf', cpf) ? await cpfKey(cpf) : undefined;
  const text = fold(searchTerm.trim());
  const isCurrent = sql<boolean>`(ended_on = '' or ended_on >= ${today})`;
  const sought = employeesOf(actor)
    .where('client_id', '=', clientId)
    .$if(filter === 'current', (rows) => rows.where(isCurrent))
    .$if(filter === 'ended', (rows) => rows.where(sql<boolean>`not ${isCurrent}`))
    .$if(key !== undefined, (rows) => rows.where('cpf_key', '=', key ?? ''))
    .$if(key === undefined && text !== '', (rows) =>
      rows.where((e) => e.or([contains(sql.ref('name_key'), text), e('registration_key', '=', text)])),
    );
  const { total } = await sought.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await sought
    .selectAll('employees')
    .orderBy('name_key')
    .orderBy('employee_id')
    .limit(itemsPerPage)
    .offset(startIndex)
    .execute();
  const leaves = await leavesOf(
    rows.map((row) => row.employee_id),
    today,
  );
  const items = rows.map((row) => ({
    id: row.employee_id,
    name: row.name,
    cpf: cpfOf(row),
    registration: row.registration,
    hiredOn: row.hired_on,
    position: row.position,
    category: row.category,
    establishmentId: row.establishment_id ?? '',
    state: stateOn(today, { endedOn: row.ended_on, leaves: leaves.get(row.employee_id) ?? [] }),
  }));
  return { items, totalItems: Number(total) };
}

/** What an employee is on a day, by the dates of their contract and leaves. */
function stateOn(day: string, { endedOn, leaves }: { endedOn: string; leaves: readonly Leave[] }): State {
  if (endedOn !== '' && endedOn < day) return 'ended';
  const current = leaves.find(({ startsOn, endsOn }) => startsOn <= day && (endsOn === '' || endsOn >= day));
  if (!current) return 'active';
  return current.reason === VACATION ? 'onVacation' : 'onLeave';
}

/** The reason of a vacation (eSocial, table 18). */
const VACATION = '15';

/**
 * An employee of one of the actor's clients; FORBIDDEN, NOT_FOUND. What staff read while they view as a contact is in the
 * audit log.
 */
export async function employeeOf(actor: Actor, employeeId: string): Promise<Employee> {
  assertSees(actor);
  const row = await ownRow(actor, employeeId);
  const fields = (await fieldsOf([row])).get(employeeId) as EmployeeFields;
  if (actor.viewedBy !== undefined)
    await audit({
      companyId: actor.companyId,
      actor: actor.viewedBy,
      action: 'employee.read',
      target: employeeId,
      clientId: row.client_id,
      details: { subject: actor.contactId },
    });
  return {
    ...fields,
    id: employeeId,
    clientId: row.client_id,
    state: stateOn(await todayOf(actor), fields),
    version: row.version,
  };
}

/** What tooltips show of employees; those that the actor does not see are left out. FORBIDDEN. */
export async function tooltipsOf(actor: Actor, ids: readonly string[]) {
  assertSees(actor);
  const rows = await employeesOf(actor)
    .select(['employee_id', 'name', 'cpf', 'hired_on', 'position'])
    .where('employee_id', 'in', ids)
    .orderBy('name_key')
    .execute();
  return rows.map((row) => ({
    id: row.employee_id,
    name: row.name,
    cpf: withMask('cpf', cpfOf(row)),
    hireDate: row.hired_on,
    jobPosition: row.position,
  }));
}

const MAX_ELSEWHERE = 5;

/** The clients of the actor with employees, by name: some of them, for who looks at a client without. */
export const clientsWithEmployees = (actor: Actor): Promise<{ id: string; name: string }[]> =>
  db()
    .selectFrom('clients')
    .select(['clients.client_id as id', 'clients.name'])
    .where('clients.client_id', 'in', clientIdsOf(actor))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('employees')
          .select('employee_id')
          .whereRef('employees.client_id', '=', 'clients.client_id')
          .where('employees.deleted_at', 'is', null),
      ),
    )
    .orderBy('clients.name')
    .limit(MAX_ELSEWHERE)
    .execute();

/** An employee of a client with what decides about a month. */
export interface EmployeeOfPeriod {
  id: string;
  name: string;
  cpf: string;
  registration: string;
  hiredOn: string;
  /** Empty while the contract lasts. */
  endedOn: string;
  leaves: readonly Pick<Leave, 'startsOn' | 'endsOn'>[];
}

/** The employees of a client whose contract lasts on a day of a period, and those with these ids, by name; FORBIDDEN. */
export async function employeesInPeriod(
  actor: Actor,
  clientId: string,
  { first, last, alsoIds = [] }: { first: string; last: string; alsoIds?: readonly string[] },
): Promise<EmployeeOfPeriod[]> {
  assertSees(actor);
  const rows = await employeesOf(actor)
    .selectAll('employees')
    .where('client_id', '=', clientId)
    .where((e) =>
      e.or([
        e.and([e('hired_on', '<=', last), e.or([e('ended_on', '=', ''), e('ended_on', '>=', first)])]),
        ...(alsoIds.length === 0 ? [] : [e('employee_id', 'in', alsoIds)]),
      ]),
    )
    .orderBy('name_key')
    .orderBy('employee_id')
    .execute();
  const leaves = await leavesOf(rows.map((row) => row.employee_id));
  return rows.map((row) => ({
    id: row.employee_id,
    name: row.name,
    cpf: cpfOf(row),
    registration: row.registration,
    hiredOn: row.hired_on,
    endedOn: row.ended_on,
    leaves: leaves.get(row.employee_id) ?? [],
  }));
}
