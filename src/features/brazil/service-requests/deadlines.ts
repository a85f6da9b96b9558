import { addDays, daysBetween, type Day } from '#features/base/work-calendars/days.ts';
import type { WorkCalendar } from '#features/base/work-calendars/calendar.ts';
import { registerBy } from '#features/brazil/labor-rules/admission-rules.ts';
import { nextFifteenth } from '#features/brazil/labor-rules/deadlines.ts';
import { terminationPayDay } from '#features/brazil/labor-rules/termination-rules.ts';
import { vacationPayDay } from '#features/brazil/labor-rules/vacation-rules.ts';
import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { textOf, type Given } from '#features/brazil/service-request-rules/given.ts';
import type { RequestStatus } from './course.ts';

/** By when the law wants a request to be done, for the kinds that have such a day; undefined if it is not known. */
export function dueDay(type: RequestType, given: Given, calendar: WorkCalendar): Day | undefined {
  const start = textOf(given.at('request.start'));
  switch (type) {
    case 'employeeRegistration':
      return start && registerBy(start, calendar);
    case 'internRegistration':
    case 'partnerRegistration':
      return start && nextFifteenth(start);
    case 'vacationNotice': {
      const starts = given.rows('request.parts').flatMap(({ at }) => textOf(at('start')) ?? []);
      const [first] = starts.toSorted();
      return first && vacationPayDay(first, calendar);
    }
    case 'terminationNotice': {
      const lastDay = textOf(given.at('request.last-day'));
      return lastDay && terminationPayDay(lastDay, calendar);
    }
    default:
      return undefined;
  }
}

/** What a request that waits for its client is told: half of the time is over, it lapses soon, or its last day is over. */
export type LapseStage = 'half' | 'soon' | 'over';

const SOON = 3;

/** The stage of a request that waits since a day, and lapses after another one; undefined while there is time. */
export function lapseStage(since: Day, lapsesOn: Day, today: Day): LapseStage | undefined {
  if (today > lapsesOn) return 'over';
  if (today >= addDays(lapsesOn, -SOON)) return 'soon';
  return today >= addDays(since, Math.ceil(daysBetween(since, lapsesOn) / 2)) ? 'half' : undefined;
}

/** By when the client has to answer. */
export const lapseDay = (today: Day, days: number): Day => addDays(today, days);

/** By when the firm answers that promises it within business days. */
export function promisedDay(today: Day, days: number, isOpen: (day: Day) => boolean): Day {
  let day = today;
  for (let left = days; left > 0;) {
    day = addDays(day, 1);
    if (isOpen(day)) left -= 1;
  }
  return day;
}

/** The urgency of a request that waits for the firm: a date has passed, the client needs it now, or the legal date is near. */
export type Urgency = 'late' | 'urgent' | 'near';

/** So many days before it, the date of the law is near. */
const NEAR_DAYS = 3;

interface Pressing {
  status: RequestStatus;
  dueOn: Day | null;
  promisedOn: Day | null;
  isMinimum: boolean;
}

/** How urgent a request is for the firm; undefined if nothing presses. */
export function urgencyOf(
  { status, dueOn, promisedOn, isMinimum }: Pressing,
  today: Day,
): Urgency | undefined {
  if (status !== 'WaitingForAnswer') return undefined;
  if ((dueOn ?? today) < today || (promisedOn ?? today) < today) return 'late';
  // what was sent before the rest is to be registered before somebody begins to work
  if (isMinimum || dueOn === today) return 'urgent';
  return dueOn !== null && dueOn <= addDays(today, NEAR_DAYS) ? 'near' : undefined;
}
