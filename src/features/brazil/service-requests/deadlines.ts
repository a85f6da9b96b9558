import { addDays, daysBetween, type Day } from '#features/base/work-calendars/days.ts';
import type { WorkCalendar } from '#features/base/work-calendars/calendar.ts';
import { registerBy } from '#features/brazil/labor-rules/admission-rules.ts';
import { nextFifteenth } from '#features/brazil/labor-rules/deadlines.ts';
import { terminationPayDay } from '#features/brazil/labor-rules/termination-rules.ts';
import { vacationPayDay } from '#features/brazil/labor-rules/vacation-rules.ts';
import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { textOf, type Given } from './answer-facts.ts';

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
