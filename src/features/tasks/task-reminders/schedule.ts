import { isPending } from '#features/tasks/tasks/rules.ts';
import type { TaskStatus } from '#features/tasks/tasks/tasks.ts';
import { addDays } from '#platform/text/time-zones.ts';

/*
 * When a contact is reminded of a task: 7 days and 1 day before its due date, on that day, and weekly for eight weeks
 * after it; without a due date weekly for four weeks after the task was requested. Only the latest milestone counts, so
 * an outage never causes several reminders at once. Days are dates such as `2026-02-28`, calculated without times, for
 * clocks change. Pure.
 */

/** The hour at which reminders are sent unless the contact chose another one. */
export const SEND_HOUR = 9;
/** Reminders are sent from this hour until the other one, in the contact's time zone. */
export const EARLIEST_HOUR = 8;
export const LATEST_HOUR = 20;
/** Weeks after the due date with a reminder. */
export const OVERDUE_WEEKS = 8;
/** Weeks after the request with a reminder, for a task without a due date. */
export const UNDATED_WEEKS = 4;
/** How long after a request nobody is reminded (hours). */
const REST_AFTER_REQUEST = 20;
/** The milestone of a reminder that staff sent. */
export const REQUESTED = 'requested';

/** How many days of look-ahead rest days can make: a week has at least one other day. */
export const MAX_REST_DAYS = 6;

/** The days from one date to another, negative if it is earlier. */
export const daysBetween = (from: string, to: string): number =>
  Temporal.PlainDate.from(from).until(Temporal.PlainDate.from(to), { largestUnit: 'day' }).days;

/** The same with holidays between them. */
export const MAX_DAYS_OFF = 10;

interface ScheduledTask {
  dueOn: string | null;
  /** The instant (epoch ms) from which reminders count, and its date for the contact. */
  askedAt: number;
  askedOn: string;
}

/** A point of the schedule: its key is unique for a task and contact, and names the date that it depends on. */
interface Milestone {
  key: string;
  /** The day on which it is reached. */
  on: string;
  /** Up to the due day, which may be told earlier because of rest days. */
  isUpToDue: boolean;
}

/** The latest milestone reached on a day; undefined before the first and after the last one. */
function milestoneOn(day: string, { dueOn, askedAt, askedOn }: ScheduledTask): Milestone | undefined {
  const reached = dueOn === null ? undatedMilestone(day, askedAt, askedOn) : datedMilestone(day, dueOn);
  // what lies before the request was told with it
  return reached && reached.on > askedOn ? reached : undefined;
}

function datedMilestone(day: string, dueOn: string): Milestone | undefined {
  const late = daysBetween(dueOn, day);
  if (late < -7) return undefined;
  if (late < 0) {
    const before = late < -1 ? 7 : 1;
    return { key: `due-${before}:${dueOn}`, on: addDays(dueOn, -before), isUpToDue: true };
  }
  const weeks = Math.floor(late / 7);
  if (weeks > OVERDUE_WEEKS) return undefined;
  if (weeks === 0) return { key: `due:${dueOn}`, on: dueOn, isUpToDue: true };
  return { key: `due+${weeks}w:${dueOn}`, on: addDays(dueOn, weeks * 7), isUpToDue: false };
}

function undatedMilestone(day: string, askedAt: number, askedOn: string): Milestone | undefined {
  const weeks = Math.floor(daysBetween(askedOn, day) / 7);
  if (weeks < 1 || weeks > UNDATED_WEEKS) return undefined;
  return { key: `week-${weeks}:${askedAt}`, on: addDays(askedOn, weeks * 7), isUpToDue: false };
}

/** The key of the day after a promised date. */
const promiseKey = (promisedOn: string): string => `promise:${promisedOn}`;

/** What decides about a reminder of a task besides its milestone. */
export interface ReminderFacts extends ScheduledTask {
  status: TaskStatus;
  /** When its content was changed last, and that date for the contact. */
  changedAt: number;
  changedOn: string;
  /** The newest date by which a contact of the client wants to finish it. */
  promisedOn: string | undefined;
  /** The date by which this contact wanted to. */
  ownPromise: string | undefined;
  /** The keys of milestones that this contact was told. */
  told: ReadonlySet<string>;
}

interface Day {
  now: number;
  today: string;
  /** Days of the week without reminders, 1 for Monday to 7. */
  restDays: string;
  /** Whether a day is a holiday, on which the firm is closed. */
  isHoliday?: ((day: string) => boolean) | undefined;
}

/** The keys that a reminder of the task tells now, the first as its reason; none if it is not due. */
export function dueKeys(facts: ReminderFacts, { now, today, restDays, isHoliday }: Day): string[] {
  const { status, askedAt, promisedOn, ownPromise, told } = facts;
  if (!isPending(status) || now - askedAt < REST_AFTER_REQUEST * 3_600_000) return [];
  if (promisedOn !== undefined && promisedOn >= today) return [];
  const milestone = latestMilestone(facts, today, { restDays, isHoliday });
  const isNew = milestone !== undefined && !told.has(milestone.key);
  const isDueDay = milestone?.key.startsWith('due:') ?? false;
  const isWorkedOn = facts.changedAt > askedAt && facts.changedOn === today;
  const broken =
    ownPromise !== undefined && ownPromise < today && !told.has(promiseKey(ownPromise))
      ? [promiseKey(ownPromise)]
      : [];
  if (isWorkedOn && !(isNew && isDueDay)) return [];
  return [...broken, ...(isNew ? [milestone.key] : [])];
}

/** The latest milestone of today, or one of the rest days and holidays that follow. */
function latestMilestone(
  task: ScheduledTask,
  today: string,
  { restDays, isHoliday = () => false }: Pick<Day, 'restDays' | 'isHoliday'>,
): Milestone | undefined {
  let latest = milestoneOn(today, task);
  for (
    let day = addDays(today, 1), ahead = 0;
    (isRestDay(day, restDays) || isHoliday(day)) && ahead < MAX_DAYS_OFF;
    ahead += 1
  ) {
    const next = milestoneOn(day, task);
    if (next?.on === day && next.isUpToDue) latest = next;
    day = addDays(day, 1);
  }
  return latest;
}

export const isRestDay = (day: string, restDays: string): boolean =>
  restDays.includes(String(Temporal.PlainDate.from(day).dayOfWeek));
