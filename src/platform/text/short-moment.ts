import { clockLocale } from './clock-locale.ts';

/* What a list shows of a moment, for pages, islands and the times that become those of the reader's zone. */

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const id = `${locale} ${JSON.stringify(options)}`;
  const known = formatters.get(id) ?? new Intl.DateTimeFormat(locale, options);
  formatters.set(id, known);
  return known;
}

/** The date of a moment as `2026-11-28`. */
const dayOf = (at: number, timeZone: string | undefined): string =>
  formatter('sv-SE', { dateStyle: 'short', timeZone }).format(at);

/**
 * Formats a moment as a list shows it: of today the time ("9:42 AM"), of this year the day ("Nov 4"), else the date
 * ("Nov 4, 2025"). `now` and `at` are epoch ms; without a time zone it is that of the reader.
 */
export function shortMoment(
  locale: string,
  at: number,
  { now, timeZone }: { now: number; timeZone?: string | undefined },
): string {
  const [day, today] = [dayOf(at, timeZone), dayOf(now, timeZone)];
  if (day === today)
    return formatter(clockLocale(locale), { hour: 'numeric', minute: '2-digit', timeZone }).format(at);
  const isThisYear = day.slice(0, 4) === today.slice(0, 4);
  return formatter(locale, {
    month: 'short',
    day: 'numeric',
    year: isThisYear ? undefined : 'numeric',
    timeZone,
  }).format(at);
}

/** The whole moment, which a short one has as its title: "Nov 4, 2025, 9:42 AM". */
export const wholeMoment = (locale: string, at: number, timeZone?: string): string =>
  formatter(clockLocale(locale), { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(at);
