import type { WorkCalendar } from '#features/base/work-calendars/calendar.ts';
import { calendarFor } from '#features/base/work-calendars/firm-holidays.server.ts';
import type { Weekday } from '#features/base/work-calendars/days.ts';
import type { Actor } from '#features/base/people/people.ts';
import { employeeOf, listEmployees } from '#features/brazil/employees/employees.server.ts';
import type { Employee } from '#features/brazil/employees/employees.ts';
import { cityName } from '#features/brazil/establishments/cities.server.ts';
import { establishmentOf } from '#features/brazil/establishments/establishments.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';

/* What is known of employees and workplaces, for the rules. What is not known is no finding. */

/** The employee with this id; undefined for none, or one who is no longer there. */
export async function employeeIn(
  actor: Actor,
  employeeId: string | undefined,
): Promise<Employee | undefined> {
  if (employeeId === undefined) return undefined;
  return unlessGone(employeeOf(actor, employeeId));
}

/** The calendar of an establishment: its days of rest, and the holidays of its state and city. */
export async function calendarAt(actor: Actor, establishmentId: string | undefined): Promise<WorkCalendar> {
  const place =
    establishmentId === undefined || establishmentId === ''
      ? undefined
      : await unlessGone(establishmentOf(actor, establishmentId));
  if (!place) return calendarFor(actor.companyId);
  const state = cityName(place.city).split('/').at(-1) ?? '';
  return calendarFor(actor.companyId, {
    restDays: place.restDays as readonly Weekday[],
    places: state === '' ? [] : [`BR-${state}`, place.city],
  });
}

/** Whether somebody with this CPF works for the client. */
export async function isEmployedHere(actor: Actor, clientId: string, cpf: string): Promise<boolean> {
  const { totalItems } = await listEmployees(actor, clientId, {
    filter: 'current',
    searchTerm: cpf,
    startIndex: 0,
    itemsPerPage: 1,
  });
  return totalItems > 0;
}

/** How many people work for a client. */
export async function countEmployees(actor: Actor, clientId: string): Promise<number> {
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
