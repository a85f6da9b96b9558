import type { WorkCalendar } from '#features/base/work-calendars/calendar.ts';
import { movedDay } from '#features/base/work-calendars/calendar.ts';
import {
  addDays,
  addMonths,
  daysBetween,
  fullYears,
  partsOfDay,
  type Day,
} from '#features/base/work-calendars/days.ts';
import type { Holiday } from '#features/base/work-calendars/holidays.ts';
import { sumOf } from './amounts.ts';
import type { Finding, Severity } from './findings.ts';
import {
  entitledDays,
  isDivision,
  lastDayOf,
  maxParts,
  periodFrom,
  sellableDays,
  type VacationPlan,
} from './vacation.ts';

/*
 * The rules of a vacation before it is requested. What is not known of the employee is no finding: the rule then says
 * nothing. Each rule has its article.
 */

export type VacationRule =
  | 'V1'
  | 'V2'
  | 'V3'
  | 'V4'
  | 'V5'
  | 'V6'
  | 'V7'
  | 'V8'
  | 'V9'
  | 'V10'
  | 'V11'
  | 'V12'
  | 'V13'
  | 'V14'
  | 'V15'
  | 'V16'
  | 'V17';

export interface VacationFacts {
  today: Day;
  calendar: WorkCalendar;
  /** When the employee is told; today by default. */
  noticeOn?: Day;
  /** When the employee asked to sell days; today by default. */
  saleAskedOn?: Day;
  /** When the employee asked for the first half of the 13th salary with the vacation, if so. */
  thirteenthAskedOn?: Day;
  isCollective?: boolean;
  /** Whether the employee agrees with several parts; undefined where nobody was asked. */
  isAgreed?: boolean;
  /** Days of paid leave, of benefit from social security, and outside the job, within the year of work. */
  paidLeaveDays?: number;
  benefitDays?: number;
  daysAway?: number;
  birth?: Day;
  /** Leaves, other vacations and notice, during which nobody is on vacation. */
  busy?: readonly { start: Day; end: Day }[];
  contractEnd?: Day;
}

type Rule = (plan: VacationPlan, facts: VacationFacts) => Finding<VacationRule>[];

/** Checks a plan by every rule, in their order. */
export const checkVacation: Rule = (plan, facts) => RULES.flatMap((rule) => rule(plan, facts));

const none: Finding<VacationRule>[] = [];

const V1: Rule = ({ absences, parts, soldDays }) => {
  const entitled = entitledDays(absences);
  const planned = sumOf(parts.map(({ days }) => days)) + soldDays;
  return planned <= entitled
    ? none
    : [
        {
          rule: 'V1',
          severity: 'blocks',
          path: 'parts',
          vars: { entitled, absences, planned },
          law: 'CLT, art. 130',
        },
      ];
};

const V2: Rule = ({ periodStart, parts, soldDays }) => {
  const { end } = periodFrom(periodStart);
  const early = parts.findIndex(({ start }) => start <= end);
  return early === -1
    ? none
    : [
        {
          rule: 'V2',
          severity: soldDays > 0 ? 'blocks' : 'confirm',
          path: startOf(early),
          vars: { date: end },
          law: 'CLT, arts. 130 e 134',
        },
      ];
};

/** Leave of more than 30 days, benefit of more than six months, and being away for more than 60 days lose it. */
const V3: Rule = ({ absences }, { paidLeaveDays = 0, benefitDays = 0, daysAway = 0 }) =>
  absences > 32 || paidLeaveDays > 30 || benefitDays > 180 || daysAway > 60
    ? [{ rule: 'V3', severity: 'confirm', path: 'absences', vars: {}, law: 'CLT, art. 133' }]
    : none;

const SOON = 60;

const V4: Rule = ({ periodStart, absences, parts, soldDays }, { today }) => {
  const { useBy } = periodFrom(periodStart);
  const law = 'CLT, arts. 134 e 137; Súmula 81 do TST';
  const late = parts.findIndex((part) => lastDayOf(part) > useBy);
  if (late !== -1)
    return [{ rule: 'V4', severity: 'confirm', path: startOf(late), vars: { date: useBy }, law }];
  const open = entitledDays(absences) - soldDays - sumOf(parts.map(({ days }) => days));
  const isSoon = open > 0 && daysBetween(today, lastStartFor(open, periodStart)) <= SOON;
  return [{ rule: 'V4', severity: isSoon ? 'warns' : 'informs', vars: { date: useBy }, law }];
};

/** The last day on which a vacation of so many days may begin. */
export const lastStartFor = (days: number, periodStart: Day): Day =>
  addDays(periodFrom(periodStart).useBy, 1 - days);

const V5: Rule = ({ parts }, { calendar }) =>
  parts.flatMap(({ start }, at): Finding<VacationRule>[] => {
    const rest = restSoonAfter(start, calendar);
    if (rest === undefined) return [];
    return [
      {
        rule: 'V5',
        severity: 'blocks',
        path: startOf(at),
        vars: {
          date: start,
          restDate: rest,
          holiday: holidayVar(calendar.holidayOn(rest)),
          before: goodStart(start, -1, calendar),
          after: goodStart(start, 1, calendar),
        },
        law: 'CLT, art. 134, § 3º',
      },
    ];
  });

/** A day of rest among the two days after a start. */
const restSoonAfter = (start: Day, calendar: WorkCalendar): Day | undefined =>
  [addDays(start, 1), addDays(start, 2)].find((day) => isFree(day, calendar));

/** A holiday for a text: its key, or the name of one of a state or city, after `?` if nobody has confirmed it. */
function holidayVar(holiday: Holiday | undefined): string {
  if (holiday?.name === undefined) return holiday?.key ?? 'rest';
  return holiday.confirmed ? holiday.name : `?${holiday.name}`;
}

const isFree = (day: Day, { holidayOn, isRestDay }: WorkCalendar): boolean =>
  isRestDay(day) || holidayOn(day) !== undefined;

/** The nearest day before or after on which a vacation may begin; where every second day is one of rest, none may. */
function goodStart(start: Day, step: 1 | -1, calendar: WorkCalendar): Day {
  for (let away = 1; away < 60; away++) {
    const day = addDays(start, away * step);
    if (!isFree(day, calendar) && restSoonAfter(day, calendar) === undefined) return day;
  }
  return start;
}

const V6: Rule = ({ parts }, { calendar }) =>
  parts.flatMap(({ start }, at): Finding<VacationRule>[] =>
    isFree(start, calendar)
      ? [
          {
            rule: 'V6',
            severity: 'warns',
            path: startOf(at),
            vars: { date: start, holiday: holidayVar(calendar.holidayOn(start)) },
            law: 'CLT, art. 134',
          },
        ]
      : [],
  );

const NOTICE = 30;

const V7: Rule = ({ parts }, { today, noticeOn = today }) =>
  parts.map(({ start }, at) => {
    const date = addDays(start, -NOTICE);
    return {
      rule: 'V7',
      severity: noticeOn > date ? 'confirm' : 'informs',
      path: startOf(at),
      vars: { date, start },
      law: 'CLT, art. 135',
    };
  });

/** The last day on which banks can pay a vacation: two days before it begins. */
export const vacationPayDay = (start: Day, { isBankDay }: WorkCalendar): Day =>
  movedDay(addDays(start, -2), 'before', isBankDay);

const V8: Rule = ({ parts }, { today, calendar }) =>
  parts.map(({ start }, at) => {
    const date = vacationPayDay(start, calendar);
    return {
      rule: 'V8',
      severity: date < today ? 'warns' : 'informs',
      path: startOf(at),
      vars: { date, start },
      law: 'CLT, art. 145',
    };
  });

const V9: Rule = ({ absences, parts, soldDays }) => {
  const days = entitledDays(absences) - soldDays;
  const law = 'CLT, art. 134, § 1º';
  const lengths = parts.map((part) => part.days);
  if (sumOf(lengths) > days || isDivision(lengths, days)) return none; // beyond the days is V1
  return [{ rule: 'V9', severity: 'blocks', path: 'parts', vars: { days, most: maxParts(days) }, law }];
};

const V10: Rule = ({ absences, soldDays }) => {
  const days = entitledDays(absences);
  const max = sellableDays(days);
  return soldDays > max
    ? [{ rule: 'V10', severity: 'blocks', path: 'soldDays', vars: { max, days }, law: 'CLT, art. 143' }]
    : none;
};

const SALE_BEFORE = 15;

const V11: Rule = ({ periodStart, soldDays }, { today, saleAskedOn = today }) => {
  const date = addDays(periodFrom(periodStart).end, -SALE_BEFORE);
  return soldDays > 0 && saleAskedOn > date
    ? [{ rule: 'V11', severity: 'confirm', path: 'soldDays', vars: { date }, law: 'CLT, art. 143, § 1º' }]
    : none;
};

const V12: Rule = ({ parts }, { birth }) => {
  const young = parts.findIndex(({ start }) => birth !== undefined && fullYears(birth, start) < 18);
  return young === -1
    ? none
    : [{ rule: 'V12', severity: 'warns', path: startOf(young), vars: {}, law: 'CLT, art. 136' }];
};

const V13: Rule = ({ soldDays }, { isCollective = false }) =>
  isCollective && soldDays > 0
    ? [{ rule: 'V13', severity: 'warns', path: 'soldDays', vars: {}, law: 'CLT, art. 143, § 2º' }]
    : none;

const V14: Rule = ({ parts }, { busy = [], contractEnd }) =>
  parts.flatMap((part, at): Finding<VacationRule>[] => {
    const end = lastDayOf(part);
    const others = [
      ...busy,
      ...parts.slice(0, at).map((other) => ({ start: other.start, end: lastDayOf(other) })),
    ];
    const overlaps = others.some((other) => part.start <= other.end && other.start <= end);
    const isBeyond = contractEnd !== undefined && end > contractEnd;
    return overlaps || isBeyond
      ? [
          {
            rule: 'V14',
            severity: 'blocks',
            path: startOf(at),
            vars: { start: part.start, end },
            law: 'CLT, arts. 130 e 133; Súmula 261 do TST',
          },
        ]
      : [];
  });

const EVENT_AHEAD = 60;

const V15: Rule = ({ parts }, { today }) =>
  parts.flatMap(({ start }, at): Finding<VacationRule>[] =>
    daysBetween(today, start) > EVENT_AHEAD
      ? [
          {
            rule: 'V15',
            severity: 'informs',
            path: startOf(at),
            vars: { date: addDays(start, -EVENT_AHEAD) },
            law: 'eSocial, S-2230, dtIniAfast',
          },
        ]
      : [],
  );

/** The first half of the 13th salary comes with a vacation if it was asked for in January, and from February to November. */
const V16: Rule = ({ parts }, { thirteenthAskedOn }) => {
  const [first] = parts;
  if (!first || thirteenthAskedOn === undefined) return none;
  const { year } = partsOfDay(first.start);
  const isInTime = thirteenthAskedOn >= `${year}-01-01` && thirteenthAskedOn < addMonths(`${year}-01-01`, 1);
  const severity: Severity = 'warns';
  return isInTime
    ? none
    : [{ rule: 'V16', severity, path: 'thirteenth', vars: { year }, law: 'Lei 4.749/1965, art. 2º, § 2º' }];
};

const startOf = (part: number): string => `parts[${part}].start`;

const V17: Rule = ({ parts }, { isAgreed = true }) =>
  parts.length > 1 && !isAgreed
    ? [{ rule: 'V17', severity: 'blocks', path: 'agree', vars: {}, law: 'CLT, art. 134, § 1º' }]
    : none;

const RULES: readonly Rule[] = [V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16, V17];
