import { calendarOf, type WorkCalendar, type Workplace } from '#features/base/work-calendars/calendar.ts';
import { workplaceFor } from '#features/base/work-calendars/firm-holidays.server.ts';
import type { Weekday } from '#features/base/work-calendars/days.ts';
import type { Actor } from '#features/base/people/people.ts';
import { employeeOf, listEmployees } from '#features/brazil/employees/employees.server.ts';
import { kindOf, type Employee } from '#features/brazil/employees/employees.ts';
import { cityName } from '#features/brazil/establishments/cities.server.ts';
import { establishmentOf } from '#features/brazil/establishments/establishments.server.ts';
import { keyOfEntry, textOf, type Given } from '#features/brazil/service-request-rules/given.ts';
import type {
  KindRules,
  KnownEmployee,
  KnownFacts,
} from '#features/brazil/service-request-rules/kind-rules.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { firmToday, type RequestRow } from './scope.server.ts';

/* What is known of employees and workplaces, for the rules. What is not known is no finding. */

/** The employee with this id; undefined for none, or one who is no longer there. */
export async function employeeIn(
  actor: Actor,
  employeeId: string | undefined,
): Promise<Employee | undefined> {
  if (employeeId === undefined) return undefined;
  return unlessGone(employeeOf(actor, employeeId));
}

/** What the rules of a kind need to know besides the answers. */
export async function knownFacts(
  actor: Actor,
  { client_id: clientId, company_id: companyId }: Pick<RequestRow, 'client_id' | 'company_id'>,
  { needs }: KindRules,
  given: Given,
): Promise<KnownFacts> {
  const cpf = needs.cpf === undefined ? undefined : textOf(given.at(needs.cpf));
  const about = needs.employee === undefined ? undefined : keyOfEntry(given.at(needs.employee));
  const employee = await employeeIn(actor, about);
  const place = needs.place === undefined ? employee?.establishmentId : keyOfEntry(given.at(needs.place));
  return {
    today: await firmToday(companyId),
    workplace: await workplaceAt(actor, place),
    ...(employee && { employee: knownOf(employee) }),
    ...(needs.cpf !== undefined && {
      isActiveHere: cpf !== undefined && (await isEmployedHere(actor, clientId, cpf)),
    }),
    ...(needs.headcount && { headcount: await countEmployees(actor, clientId) }),
  };
}

/** Only what rules take. */
const knownOf = (employee: Employee): KnownEmployee => ({
  isEmployed: ['employee', 'apprentice'].includes(kindOf(employee.category)),
  hiredOn: employee.hiredOn,
  bornOn: employee.bornOn,
  salaryCents: employee.salaryCents,
  salaryUnit: employee.salaryUnit,
  contractEndsOn: employee.contractEndsOn,
  trialEndsOn: employee.trialEndsOn,
  leaves: employee.leaves,
  vacationPeriods: employee.vacationPeriods,
});

/** The calendar of an establishment: its days of rest, and the holidays of its state and city. */
export const calendarAt = async (actor: Actor, establishmentId: string | undefined): Promise<WorkCalendar> =>
  calendarOf(await workplaceAt(actor, establishmentId));

async function workplaceAt(actor: Actor, establishmentId: string | undefined): Promise<Workplace> {
  const place =
    establishmentId === undefined || establishmentId === ''
      ? undefined
      : await unlessGone(establishmentOf(actor, establishmentId));
  if (!place) return workplaceFor(actor.companyId);
  const state = cityName(place.city).split('/').at(-1) ?? '';
  return workplaceFor(actor.companyId, {
    restDays: place.restDays as readonly Weekday[],
    places: state === '' ? [] : [`BR-${state}`, place.city],
  });
}

/** Whether somebody with this CPF works for the client. */
async function isEmployedHere(actor: Actor, clientId: string, cpf: string): Promise<boolean> {
  const { totalItems } = await listEmployees(actor, clientId, {
    filter: 'current',
    searchTerm: cpf,
    startIndex: 0,
    itemsPerPage: 1,
  });
  return totalItems > 0;
}

/** How many people work for a client. */
async function countEmployees(actor: Actor, clientId: string): Promise<number> {
  const { totalItems } = await listEmployees(actor, clientId, {
    filter: 'current',
    searchTerm: '',
    startIndex: 0,
    itemsPerPage: 1,
  });
  return totalItems;
}

const unlessGone = <Value>(value: Promise<Value>): Promise<Value | undefined> =>
  value.catch((error: unknown) => {
    if (refusal(error)?.code === 'NOT_FOUND') return undefined;
    throw error;
  });
