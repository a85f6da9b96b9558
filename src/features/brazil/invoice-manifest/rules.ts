import { addDays, dayOf } from '#platform/text/time-zones.ts';

/*
 * What the recipient of an NF-e may tell the tax authority about it, and until when (Ajuste SINIEF 43/2023;
 * NT 2020.001 v1.50). Days are those of Brasília.
 */

/** What a recipient says about an invoice. The last three decide; the first one only says that it is known. */
export const EVENTS = ['aware', 'confirmed', 'unknown', 'notDone'] as const;
export type ManifestEvent = (typeof EVENTS)[number];

/** The authority's numbers of the events. */
export const EVENT_CODES = {
  aware: '210210',
  confirmed: '210200',
  unknown: '210220',
  notDone: '210240',
} as const satisfies Record<ManifestEvent, string>;

export const eventOfCode = (code: string): ManifestEvent | undefined =>
  EVENTS.find((event) => EVENT_CODES[event] === code);

const decides = (event: ManifestEvent): boolean => event !== 'aware';

export const AUTHORITY_ZONE = 'America/Sao_Paulo';
const MAX_DAYS = 180;

/** The last day on which an invoice that was authorized at an instant can be manifested, that day included. */
export const lastDayFor = (authorizedAt: number): string =>
  addDays(dayOf(authorizedAt, AUTHORITY_ZONE), MAX_DAYS);

/** The days until a day: 0 on the day itself, negative after it. */
export const daysUntil = (day: string, today: string): number =>
  Temporal.PlainDate.from(today).until(Temporal.PlainDate.from(day)).days;

/** An event that the authority has registered. */
export interface RegisteredEvent {
  event: ManifestEvent;
  sequence: number;
  registeredAt: number;
}

/** Each event that decides can be registered so many times, the other one once. */
const MAX_TIMES = 2;

const timesOf = (event: ManifestEvent, registered: readonly RegisteredEvent[]): number =>
  registered.filter((each) => each.event === event).length;

/** The sequence that the next event of a kind has. */
export const nextSequence = (event: ManifestEvent, registered: readonly RegisteredEvent[]): number =>
  Math.max(0, ...registered.filter((each) => each.event === event).map(({ sequence }) => sequence)) + 1;

/** The state of an invoice by what is registered: the last event that decides counts. */
export function statusBy(registered: readonly RegisteredEvent[]): 'pending' | ManifestEvent {
  const decisions = registered
    .filter(({ event }) => decides(event))
    .toSorted((a, b) => a.registeredAt - b.registeredAt || a.sequence - b.sequence);
  return decisions.at(-1)?.event ?? (registered.length > 0 ? 'aware' : 'pending');
}

/** Why an event cannot be registered. */
export const PROBLEMS = [
  'cancelled',
  'expired',
  'awareAlready',
  'awareAfterDecision',
  'sameAlready',
  'twiceAlready',
] as const;
export type Problem = (typeof PROBLEMS)[number];

/** Finds why the authority would not register an event on a day; undefined if it would. */
export function problemWith(
  event: ManifestEvent,
  {
    isCancelled,
    lastDay,
    registered,
  }: { isCancelled: boolean; lastDay: string; registered: readonly RegisteredEvent[] },
  today: string,
): Problem | undefined {
  if (isCancelled) return 'cancelled';
  if (today > lastDay) return 'expired';
  const status = statusBy(registered);
  if (event === 'aware') {
    if (status === 'pending') return undefined;
    return status === 'aware' ? 'awareAlready' : 'awareAfterDecision';
  }
  if (event === status) return 'sameAlready';
  return timesOf(event, registered) >= MAX_TIMES ? 'twiceAlready' : undefined;
}

const MIN_JUSTIFICATION = 15;
export const MAX_JUSTIFICATION = 255;

/** As the authority's schema has it: ISO 8859-1, without blanks at the ends. */
const LATIN = /^[!-ÿ](?:[ -ÿ]*[!-ÿ])?$/;

export const JUSTIFICATION_PROBLEMS = ['missing', 'short', 'long', 'characters', 'notTaken'] as const;
export type JustificationProblem = (typeof JUSTIFICATION_PROBLEMS)[number];

/** A justification in one line, as it is sent. */
export const asLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/**
 * Finds what is wrong with the justification of an event: the authority requires one if the operation was not done. One for
 * an unknown operation stays with the firm, and the others take none.
 */
export function problemWithJustification(
  event: ManifestEvent,
  text: string,
): JustificationProblem | undefined {
  if (event === 'aware' || event === 'confirmed') return text === '' ? undefined : 'notTaken';
  if (text.length > MAX_JUSTIFICATION) return 'long';
  if (event === 'unknown') return undefined;
  if (text === '') return 'missing';
  if (text.length < MIN_JUSTIFICATION) return 'short';
  return LATIN.test(text) ? undefined : 'characters';
}

/** People are reminded so many days before the last one. */
const REMINDED = [30, 10, 3] as const;

/** The next day after a day on which people are reminded; empty for none. */
export function nextReminderOn(lastDay: string, after: string): string {
  return REMINDED.map((days) => addDays(lastDay, -days)).find((day) => day > after) ?? '';
}
