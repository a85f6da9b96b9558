import type { Day } from '#features/base/work-calendars/days.ts';
import { calendarOf } from '#features/base/work-calendars/calendar.ts';
import { checkVacation } from '#features/brazil/labor-rules/vacation-rules.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { vacationFindingViews } from './vacation-view.server.ts';

/** The rules of a vacation, for questionnaires that ask how one is divided. Only national holidays are known here. */
export const vacationAnswerRule: Contributions['answerRules'][string] = {
  inputs: {
    periodStart: { kinds: ['date'] },
    absences: { kinds: ['number'] },
    soldDays: { kinds: ['number'], isOptional: true },
    noticeOn: { kinds: ['date'], isOptional: true },
    'parts.start': { kinds: ['date'] },
    'parts.days': { kinds: ['number'] },
  },
  check: ({ periodStart, absences, soldDays, noticeOn }, { parts = [] }, { today, lang }) => {
    const plan = {
      periodStart: day(periodStart),
      absences: Number(absences),
      soldDays: Number(soldDays ?? 0),
      parts: parts.map(({ start, days }) => ({ start: day(start), days: Number(days) })),
    };
    const found = checkVacation(plan, {
      today,
      calendar: calendarOf(),
      ...(noticeOn !== undefined && { noticeOn: day(noticeOn) }),
    });
    const views = vacationFindingViews(found, lang);
    return found.map(({ rule, severity, path, law }, at) => ({
      id: rule,
      severity: severity === 'confirm' ? 'confirms' : severity,
      text: views[at]?.text ?? '',
      law,
      ...placeOf(path),
    }));
  },
};

/** Dates of questionnaires are days. */
const day = (value: unknown): Day => String(value);

/** The input and the row of a place in a plan: `parts[1].start`. */
function placeOf(path: string | undefined): { input?: string; row?: number } {
  const [, list, row, name] = /^(\w+)\[(\d+)\]\.(\w+)$/.exec(path ?? '') ?? [];
  if (row !== undefined) return { input: `${list}.${name}`, row: Number(row) };
  return path === undefined ? {} : { input: path };
}
