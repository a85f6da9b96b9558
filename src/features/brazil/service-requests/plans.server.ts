import type { Actor } from '#features/base/people/people.ts';
import { addDays, type Day } from '#features/base/work-calendars/days.ts';
import type { Employee } from '#features/brazil/employees/employees.ts';
import { checkAdmission, type AdmissionPlan } from '#features/brazil/labor-rules/admission-rules.ts';
import type { Finding } from '#features/brazil/labor-rules/findings.ts';
import { checkInternship, type InternPlan } from '#features/brazil/labor-rules/intern-rules.ts';
import {
  checkLeave,
  checkReturn,
  leaveEndedBy,
  type LeavePlan,
} from '#features/brazil/labor-rules/leave-rules.ts';
import { checkPartner } from '#features/brazil/labor-rules/partner-rules.ts';
import { NOTICES, REASONS, type Notice, type Reason } from '#features/brazil/labor-rules/termination.ts';
import { checkTermination, STABILITIES } from '#features/brazil/labor-rules/termination-rules.ts';
import { checkVacation } from '#features/brazil/labor-rules/vacation-rules.ts';
import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { centsOf, chosenCode, keyOfEntry, minutesOf, numberOf, textOf, type Given } from './answer-facts.ts';
import { calendarAt, countEmployees, employeeIn, isEmployedHere } from './employee-facts.server.ts';
import { scheduleIn } from './schedules.ts';
import type { RequestRow } from './scope.server.ts';

/*
 * The answers to a request as plans that the rules check, with what is known of the employee. A plan that is not complete
 * is not checked: what is missing is said by the questions themselves. Findings name the questions that they are about.
 */

interface Context {
  actor: Actor;
  clientId: string;
  given: Given;
  today: Day;
  employee: Employee | undefined;
}

type Check = (context: Context) => Promise<Finding[]>;

/** What the rules of a kind say about the answers. */
export async function checkPlan(
  actor: Actor,
  row: Pick<RequestRow, 'client_id' | 'type'>,
  given: Given,
  { today, employeeId }: { today: Day; employeeId: string | undefined },
): Promise<Finding[]> {
  const check = CHECKS[row.type];
  if (!check) return [];
  const employee = await employeeIn(actor, employeeId);
  return check({ actor, clientId: row.client_id, given, today, employee });
}

/** Only what is there. */
const some = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as Partial<Record<Name, Value>>;

const LAST = '9999-12-31';

const vacation: Check = async ({ actor, given, today, employee }) => {
  const periodStart = textOf(given.at('request.period-start'));
  const absences = numberOf(given.at('request.absences'));
  const rows = given.rows('request.parts');
  const parts = rows.flatMap(({ at }) => {
    const [start, days] = [textOf(at('start')), numberOf(at('days'))];
    return start === undefined || days === undefined ? [] : [{ start, days }];
  });
  if (periodStart === undefined || absences === undefined || parts.length === 0 || parts.length < rows.length)
    return [];
  const soldDays = numberOf(given.at('request.sold-days')) ?? 0;
  const found = checkVacation(
    { periodStart, absences, parts, soldDays },
    {
      today,
      calendar: await calendarAt(actor, employee?.establishmentId),
      ...some('noticeOn', textOf(given.at('request.notice-on'))),
      ...some('saleAskedOn', textOf(given.at('request.asked-on'))),
      ...(given.at('request.thirteenth') === true && { thirteenthAskedOn: today }),
      isCollective: given.at('request.collective') === true,
      isAgreed: given.at('request.agree') === true,
      ...some('birth', employee?.bornOn || undefined),
      busy: busyOf(employee),
      ...some('contractEnd', employee?.contractEndsOn || undefined),
    },
  );
  return placed(found, (path) => {
    const [, row, name] = /^parts\[(\d+)\]\.(\w+)$/.exec(path) ?? [];
    if (row !== undefined) return `${rows[Number(row)]?.path ?? 'request.parts'}.${name}`;
    return {
      parts: 'request.parts',
      soldDays: 'request.sold-days',
      absences: 'request.absences',
      thirteenth: 'request.thirteenth',
      agree: 'request.agree',
    }[path];
  });
};

/** When an employee is away already. */
const busyOf = (employee: Employee | undefined): { start: Day; end: Day }[] =>
  (employee?.leaves ?? []).map(({ startsOn, endsOn }) => ({ start: startsOn, end: endsOn || LAST }));

const admission: Check = async ({ actor, clientId, given, today }) => {
  const start = textOf(given.at('request.start'));
  const category = chosenCode(given.at('request.category'));
  if (start === undefined || category === undefined) return [];
  const cpf = textOf(given.at('request.cpf'));
  const found = checkAdmission(admissionPlan(given, start, category), {
    today,
    calendar: await calendarAt(actor, keyOfEntry(given.at('request.place'))),
    isActiveHere: cpf !== undefined && (await isEmployedHere(actor, clientId, cpf)),
    employees: await countEmployees(actor, clientId),
  });
  return placed(found, (path) => ADMISSION_PATHS[path]);
};

const ADMISSION_PATHS: Readonly<Record<string, string>> = {
  start: 'request.start',
  birth: 'request.birth',
  night: 'hours.night',
  examOn: 'more.exam-on',
  trial: 'hours.trial-days',
  week: 'hours.week',
  schedule: 'hours.schedule',
  salary: 'request.salary',
  cpf: 'request.cpf',
  category: 'request.category',
  disability: 'person.disability',
};

const UNITS: Readonly<Record<string, 'hour' | 'month'>> = { 1: 'hour', 5: 'month' };

function admissionPlan(given: Given, start: Day, category: string): AdmissionPlan {
  const schedule = scheduleIn(given.rows('hours.schedule'));
  const trialDays = numberOf(given.at('hours.trial-days'));
  const extension = numberOf(given.at('hours.trial-extension')) ?? 0;
  const cents = centsOf(given.at('request.salary'));
  const unit = UNITS[chosenCode(given.at('request.unit')) ?? ''];
  const partTime = Number(chosenCode(given.at('hours.part-time')) ?? 0);
  const endsOn = textOf(given.at('apprentice.until'));
  return {
    start,
    category,
    ...some('birth', textOf(given.at('request.birth'))),
    ...(trialDays !== undefined && { trial: extension > 0 ? [trialDays, extension] : [trialDays] }),
    ...(schedule.length > 0 && { schedule }),
    ...some('weekMinutes', minutesOf(given.at('hours.week'))),
    isAtNight: given.at('hours.night') === true,
    ...((partTime === 1 || partTime === 2 || partTime === 3) && { partTime }),
    ...(cents !== undefined && unit !== undefined && { salary: { cents, unit } }),
    ...some('examOn', textOf(given.at('more.exam-on'))),
    ...(endsOn !== undefined && {
      apprenticeship: {
        endsOn,
        hasEntity: given.at('apprentice.entity') !== undefined,
        hasFinishedSchool: given.at('apprentice.school') === true,
      },
    }),
  };
}

const LEVELS: Readonly<Record<string, InternPlan['level']>> = {
  1: 'fundamental',
  2: 'medium',
  3: 'professional',
  4: 'higher',
  8: 'special',
};

const internship: Check = async ({ actor, clientId, given }) => {
  const start = textOf(given.at('request.start'));
  const end = textOf(given.at('internship.term-end'));
  const level = LEVELS[chosenCode(given.at('internship.level')) ?? ''];
  const dayMinutes = minutesOf(given.at('internship.day-hours'));
  const weekMinutes = minutesOf(given.at('internship.week-hours'));
  if (
    start === undefined ||
    end === undefined ||
    level === undefined ||
    dayMinutes === undefined ||
    weekMinutes === undefined
  )
    return [];
  const disability = given.at('person.disability');
  const found = checkInternship(
    {
      start,
      end,
      level,
      dayMinutes,
      weekMinutes,
      isMandatory: given.at('internship.mandatory') === 'yes',
      hasDisability: Array.isArray(disability) && !disability.includes('none'),
      grant: centsOf(given.at('internship.grant')) ?? 0,
      transport: centsOf(given.at('internship.transport')) ?? 0,
      hasInsurance: given.at('internship.policy') !== undefined,
    },
    {
      ...some('supervised', numberOf(given.at('internship.supervised'))),
      employees: await countEmployees(actor, clientId),
    },
  );
  return placed(found, (path) => INTERN_PATHS[path] ?? `internship.${path}`);
};

const INTERN_PATHS: Readonly<Record<string, string>> = {
  insurance: 'internship.policy',
};

const partnership: Check = async ({ given }) => {
  const start = textOf(given.at('request.start'));
  if (start === undefined || given.at('partnership.pro-labore') === undefined) return [];
  const otherPay = given
    .rows('partnership.other-sources')
    .reduce((sum, { at }) => sum + (centsOf(at('pay')) ?? 0), 0);
  const found = checkPartner({
    start,
    isAdministrator: given.at('partnership.administrator') === true,
    ...some('proLabore', centsOf(given.at('partnership.value'))),
    otherPay,
  });
  return placed(found, (path) => (path === 'start' ? 'request.start' : `partnership.${path}`));
};

const NOTICE_OF: Readonly<Record<string, Notice>> = { 'not-worked': 'notWorked' };

const termination: Check = async ({ actor, given, today, employee }) => {
  const code = chosenCode(given.at('request.reason'));
  const reason = REASONS.find((each): each is Reason => each === code);
  const chosen = textOf(given.at('request.notice')) ?? '';
  const notice = NOTICE_OF[chosen] ?? NOTICES.find((each) => each === chosen);
  const lastDay = textOf(given.at('request.last-day'));
  if (!employee || reason === undefined || notice === undefined || lastDay === undefined) return [];
  const month = Number((textOf(given.at('request.base-month')) ?? '').slice(1));
  const found = checkTermination(
    {
      salary: employee.salaryUnit === '5' ? (employee.salaryCents ?? 0) : 0,
      admission: employee.hiredOn,
      lastDay,
      reason,
      notice,
      noticeOn: textOf(given.at('request.notice-on')),
      termEnd: employee.contractEndsOn || employee.trialEndsOn || undefined,
      hasClause: given.at('request.clause') === true,
      stabilities: stabilitiesIn(given),
      baseMonth: month > 0 ? month : undefined,
    },
    {
      today,
      calendar: await calendarAt(actor, employee.establishmentId),
      ...some('birth', employee.bornOn || undefined),
      ...some('away', awayOn(employee, lastDay)),
    },
  );
  return placed(found, (path) => TERMINATION_PATHS[path]);
};

const TERMINATION_PATHS: Readonly<Record<string, string>> = {
  notice: 'request.notice',
  lastDay: 'request.last-day',
  noticeOn: 'request.notice-on',
  termEnd: 'request.last-day',
  stabilities: 'request.stability',
  baseMonth: 'request.base-month',
  reason: 'request.reason',
};

function stabilitiesIn(given: Given) {
  const chosen = given.at('request.stability');
  return STABILITIES.filter((each) => Array.isArray(chosen) && chosen.includes(each));
}

const VACATION = '15';

/** What keeps an employee from working on a day. Whether social security pays is not known. */
function awayOn({ leaves }: Employee, day: Day): 'vacation' | 'leave' | undefined {
  const current = leaves.find(({ startsOn, endsOn }) => startsOn <= day && (endsOn || LAST) >= day);
  return current && (current.reason === VACATION ? 'vacation' : 'leave');
}

const ILLNESS = ['01', '03'];

const leave: Check = async ({ actor, given, today, employee }) => {
  const returnedOn = textOf(given.at('request.returned-on'));
  if (returnedOn !== undefined)
    return placed(returnTo(employee, returnedOn, today), (path) => LEAVE_PATHS[path]);
  const reason = chosenCode(given.at('request.reason'));
  const start = textOf(given.at('request.start'));
  if (reason === undefined || start === undefined) return [];
  const days = numberOf(given.at('request.days'));
  const end = textOf(given.at('request.end')) ?? (days === undefined ? undefined : addDays(start, days - 1));
  const sameReason = given.at('request.same-reason');
  const plan: LeavePlan = {
    reason,
    start,
    ...some('end', end),
    ...(typeof sameReason === 'boolean' && { isSameReason: sameReason }),
    ...some('text', textOf(given.at('request.text'))),
    ...some('union', textOf(given.at('request.union'))),
    ...some('birthOn', textOf(given.at('request.birth-on'))),
    ...some('dischargedOn', textOf(given.at('request.discharged-on'))),
    ...some('accidentOn', textOf(given.at('request.accident-on'))),
    isReported: given.at('request.reported') === true,
  };
  const earlier = (employee?.leaves ?? [])
    .filter((each) => ILLNESS.includes(each.reason) && each.endsOn !== '' && each.endsOn < start)
    .map(({ startsOn, endsOn }) => ({ start: startsOn, end: endsOn }))
    .toSorted((one, other) => (one.start < other.start ? -1 : 1));
  const found = checkLeave(plan, {
    today,
    calendar: await calendarAt(actor, employee?.establishmentId),
    earlier,
    busy: busyOf(employee),
  });
  return placed(found, (path) => LEAVE_PATHS[path]);
};

/** Without an employee nothing is known of leaves, and nothing is said. */
function returnTo(employee: Employee | undefined, returnedOn: Day, today: Day): Finding[] {
  if (!employee) return [];
  const open = leaveEndedBy(employee.leaves, returnedOn);
  const leave = open && {
    reason: open.reason,
    start: open.startsOn,
    ...(open.endsOn !== '' && { end: open.endsOn }),
  };
  return checkReturn(returnedOn, { today, leave });
}

const LEAVE_PATHS: Readonly<Record<string, string>> = {
  returnedOn: 'request.returned-on',
  end: 'request.until',
  previous: 'request.same-reason',
  start: 'request.start',
  accidentOn: 'request.accident-on',
  reason: 'request.reason',
  text: 'request.text',
  union: 'request.union',
};

/** The findings with the questions that they are about. */
const placed = (findings: readonly Finding[], pathOf: (path: string) => string | undefined): Finding[] =>
  findings.map(({ path, ...finding }) => {
    const at = path === undefined ? undefined : pathOf(path);
    return at === undefined ? finding : { ...finding, path: at };
  });

const CHECKS: Partial<Record<RequestType, Check>> = {
  vacationNotice: vacation,
  vacationCalculation: vacation,
  employeeRegistration: admission,
  internRegistration: internship,
  partnerRegistration: partnership,
  terminationNotice: termination,
  terminationCalculation: termination,
  employeeLeave: leave,
};
