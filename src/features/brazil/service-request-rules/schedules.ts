import type { Weekday } from '#features/base/work-calendars/days.ts';
import type { ScheduledDay } from '#features/brazil/labor-rules/schedules.ts';
import { minutesOf, textOf, type Given } from './given.ts';

const DAY = 24 * 60;

/** The days of a schedule that are complete. A day that ends before it begins goes on after midnight. */
export const scheduleIn = (rows: ReturnType<Given['rows']>): ScheduledDay[] =>
  rows.flatMap(({ at }) => {
    const weekday = Number((textOf(at('day')) ?? '').slice('day'.length));
    const [start, to] = [minutesOf(at('from')), minutesOf(at('to'))];
    if (!isWeekday(weekday) || start === undefined || to === undefined) return [];
    const after = (minutes: number): number => (minutes < start ? minutes + DAY : minutes);
    const [pauseFrom, pauseTo] = [minutesOf(at('pause-from')), minutesOf(at('pause-to'))];
    return [
      {
        weekday,
        start,
        end: after(to),
        ...(pauseFrom !== undefined &&
          pauseTo !== undefined && { pause: { start: after(pauseFrom), end: after(pauseTo) } }),
      },
    ];
  });

const isWeekday = (day: number): day is Weekday => Number.isInteger(day) && day >= 1 && day <= 7;
