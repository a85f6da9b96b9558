import type { Actor } from '#features/base/people/people.ts';
import { addDays } from '#features/base/work-calendars/days.ts';
import { addEmployee, changeEmployee } from '#features/brazil/employees/changes.server.ts';
import type { EmployeeChange, EmployeeInput, Employee } from '#features/brazil/employees/employees.ts';
import { changeOfRequest, undoChange } from '#features/brazil/employees/undo.server.ts';
import { leaveEndedBy } from '#features/brazil/labor-rules/leave-rules.ts';
import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import type { PlainValue } from '#features/tasks/questionnaires/questionnaires.ts';
import { answersIn } from '#features/tasks/tasks/items.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import {
  centsOf,
  chosenCode,
  givenIn,
  keyOfEntry,
  minutesOf,
  numberOf,
  textOf,
  type Given,
} from '#features/brazil/service-request-rules/given.ts';
import { employeeIn } from './employee-facts.server.ts';
import { formOfRequest } from './request-forms.server.ts';
import type { RequestRow } from './scope.server.ts';
import { submissionOf } from './submissions.server.ts';

/*
 * What a reply changes of the employees of a client: who was registered is added; a vacation, a leave or the end of a
 * contract is written into the employee. The firm sees it before it replies, and undoes it when it reopens the request.
 */

/** What a reply would change, from the newest submission. */
export type PlannedChange =
  { kind: 'add'; fields: EmployeeInput } | { kind: 'change'; before: Employee; fields: EmployeeChange };

/** The reason of a leave that is a vacation (eSocial, table 18). */
export const VACATION = '15';

/**
 * What a reply to a request would change; undefined if its kind changes nobody, what was sent is not enough, or an earlier
 * reply has changed it already.
 */
export async function plannedChange(actor: Actor, row: RequestRow): Promise<PlannedChange | undefined> {
  const last = await submissionOf(row.request_id, Number(row.submission));
  if (!last || (await hasChangedEmployee(actor, row))) return undefined;
  const given = givenIn(await formOfRequest(row), answersIn(last.content.answers));
  const added = ADDED[row.type]?.(given);
  if (added) return { kind: 'add', fields: added };
  const before = await employeeIn(actor, row.employee_id ?? undefined);
  const fields = before && CHANGED[row.type]?.(given, before);
  return before && fields && { kind: 'change', before, fields };
}

/**
 * Makes the change of a reply, in its transaction. `registration` is the number that a new employee gets. INVALID with the
 * problems by field if the employee would not fit, NOT_POSSIBLE if there is nothing to change.
 */
export async function changeByReply(
  actor: Actor,
  row: RequestRow,
  { registration }: { registration: string },
): Promise<void> {
  const planned = await plannedChange(actor, row);
  if (!planned) throw new PortalError('NOT_POSSIBLE');
  const made = { source: 'request', requestId: row.request_id } as const;
  if (planned.kind === 'add')
    await addEmployee(actor, row.client_id, { ...planned.fields, registration }, made);
  else await changeEmployee(actor, planned.before.id, planned.fields, made);
}

/** Undoes what the reply to a request has changed, in the open transaction. CHANGED if the employee has changed since. */
export async function undoChangeOf(actor: Actor, row: RequestRow): Promise<void> {
  const changeId = await changeOfRequest(actor, row.request_id);
  if (changeId === undefined) throw new PortalError('NOT_POSSIBLE');
  await undoChange(actor, changeId);
}

/** Whether the reply to a request has changed an employee in a way that was not undone. */
export const hasChangedEmployee = async (actor: Actor, { request_id: id }: RequestRow): Promise<boolean> =>
  (await changeOfRequest(actor, id)) !== undefined;

/** What every worker is registered with. */
function person(given: Given): Pick<EmployeeInput, 'name' | 'cpf' | 'hiredOn' | 'bornOn'> | undefined {
  const [name, cpf, hiredOn] = ['name', 'cpf', 'start'].map((key) => textOf(given.at(`request.${key}`)));
  if (name === undefined || cpf === undefined || hiredOn === undefined) return undefined;
  return { name, cpf, hiredOn, bornOn: textOf(given.at('request.birth')) ?? '' };
}

/** Requests that were begun with an older form have the digits as text. */
function cboOf(value: PlainValue | undefined): string {
  const digits = (keyOfEntry(value) ?? textOf(value) ?? '').replace(/\D/g, '');
  return digits.length === 6 ? digits : '';
}

const ADDED: Partial<Record<RequestType, (given: Given) => EmployeeInput | undefined>> = {
  employeeRegistration: (given) => {
    const known = person(given);
    const trial = numberOf(given.at('hours.trial-days'));
    return (
      known && {
        ...known,
        category: chosenCode(given.at('request.category')),
        position: textOf(given.at('request.position')),
        cbo: cboOf(given.at('request.cbo')),
        salaryCents: centsOf(given.at('request.salary')) ?? null,
        salaryUnit: unitOf(given),
        weeklyMinutes: minutesOf(given.at('hours.week')) ?? null,
        establishmentId: keyOfEntry(given.at('request.place')) ?? '',
        contractEndsOn: textOf(given.at('request.term-end')) ?? '',
        trialEndsOn: trial === undefined ? '' : addDays(known.hiredOn, trial - 1),
      }
    );
  },
  internRegistration: (given) => {
    const known = person(given);
    return (
      known && {
        ...known,
        category: '901',
        position: textOf(given.at('internship.area')),
        salaryCents: centsOf(given.at('internship.grant')) ?? null,
        weeklyMinutes: minutesOf(given.at('internship.week-hours')) ?? null,
        establishmentId: keyOfEntry(given.at('internship.place')) ?? '',
        contractEndsOn: textOf(given.at('internship.term-end')) ?? '',
      }
    );
  },
  partnerRegistration: (given) => {
    const known = person(given);
    return (
      known && {
        ...known,
        category: chosenCode(given.at('partnership.category')),
        position: textOf(given.at('partnership.role')),
        cbo: cboOf(given.at('partnership.cbo')),
        salaryCents: centsOf(given.at('partnership.value')) ?? null,
      }
    );
  },
};

function unitOf(given: Given): EmployeeInput['salaryUnit'] {
  const code = chosenCode(given.at('request.unit'));
  return UNITS.find((unit) => unit === code);
}
const UNITS = ['1', '2', '3', '4', '5', '6', '7'] as const;

const CHANGED: Partial<
  Record<RequestType, (given: Given, employee: Employee) => EmployeeChange | undefined>
> = {
  vacationNotice: (given, { vacationPeriods, leaves }) => {
    const startsOn = textOf(given.at('request.period-start'));
    const parts = given.rows('request.parts').flatMap(({ at }) => {
      const [start, days] = [textOf(at('start')), numberOf(at('days'))];
      return start === undefined || days === undefined ? [] : [{ start, days }];
    });
    if (startsOn === undefined || parts.length === 0) return undefined;
    const before = vacationPeriods.find((each) => each.startsOn === startsOn);
    const period = {
      startsOn,
      absences: numberOf(given.at('request.absences')) ?? before?.absences ?? 0,
      takenDays: (before?.takenDays ?? 0) + parts.reduce((sum, { days }) => sum + days, 0),
      soldDays: (before?.soldDays ?? 0) + (numberOf(given.at('request.sold-days')) ?? 0),
    };
    return {
      vacationPeriods: [...vacationPeriods.filter((each) => each !== before), period].toSorted(byStart),
      leaves: [
        ...leaves,
        ...parts.map(({ start, days }) => ({
          startsOn: start,
          endsOn: addDays(start, days - 1),
          reason: VACATION,
        })),
      ].toSorted(byStart),
    };
  },
  employeeLeave: (given, { leaves }) => {
    const returnedOn = textOf(given.at('request.returned-on'));
    if (returnedOn !== undefined) {
      const ended = leaveEndedBy(leaves, returnedOn);
      const endsOn = addDays(returnedOn, -1);
      return ended && { leaves: leaves.map((each) => (each === ended ? { ...each, endsOn } : each)) };
    }
    const [reason, startsOn] = [chosenCode(given.at('request.reason')), textOf(given.at('request.start'))];
    if (reason === undefined || startsOn === undefined) return undefined;
    const days = numberOf(given.at('request.days'));
    const endsOn = textOf(given.at('request.end')) ?? (days === undefined ? '' : addDays(startsOn, days - 1));
    return { leaves: [...leaves, { startsOn, endsOn, reason }].toSorted(byStart) };
  },
  terminationNotice: (given) => {
    const endReason = chosenCode(given.at('request.reason'));
    const endedOn = textOf(given.at('request.last-day'));
    return endReason === undefined || endedOn === undefined ? undefined : { endedOn, endReason };
  },
};

const byStart = (one: { startsOn: string }, other: { startsOn: string }): number =>
  one.startsOn < other.startsOn ? -1 : 1;
