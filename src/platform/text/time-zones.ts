/** The time zones that a firm may choose: IANA names, and UTC. */
export const TIME_ZONES: readonly string[] = [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])];

export const isTimeZone = (name: string): boolean => TIME_ZONES.includes(name);

/** The most common time zone for each language; migration 0030 used the same for existing firms. */
const BY_LANGUAGE = new Map([
  ['en-us', 'America/New_York'],
  ['en-gb', 'Europe/London'],
  ['en-au', 'Australia/Sydney'],
  ['en-ca', 'America/Toronto'],
  ['es', 'America/Buenos_Aires'],
  ['pt', 'America/Sao_Paulo'],
  ['fr', 'America/Toronto'],
]);

/** The default time zone for a firm of this language. */
export const timeZoneFor = (language: string): string => BY_LANGUAGE.get(language.toLowerCase()) ?? 'UTC';

/**
 * The canonical zone for a name reported by a browser, `Asia/Kolkata` → `Asia/Calcutta`; undefined when
 * unknown.
 */
export function timeZoneNamed(name: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions();
    return isTimeZone(timeZone) ? timeZone : undefined;
  } catch {
    return undefined; // RangeError: unknown zone
  }
}

/** The date of an instant in a time zone: `2026-11-21`. */
export const dayOf = (instant: number | string, timeZone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(new Date(instant).getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .toString();

/** The date so many days after a date, or before it: dates are `2026-11-21`. */
export const addDays = (day: string, days: number): string =>
  Temporal.PlainDate.from(day).add({ days }).toString();

/**
 * The start of a day in a time zone (epoch ms), or of the day `later` days after it. Where clocks skip
 * midnight, the day starts at one.
 */
export const startOfDay = (day: string, timeZone: string, later = 0): number =>
  Temporal.PlainDate.from(day).add({ days: later }).toZonedDateTime(timeZone).epochMilliseconds;
