import type { Weekday } from '#features/base/work-calendars/days.ts';
import type { Choice } from '#platform/forms/forms.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';

const SUNDAY = Date.UTC(2026, 0, 4);
const DAY_MS = 86_400_000;

const namesIn = (lang: Lang) => {
  const names = new Intl.DateTimeFormat(LANGUAGES[lang], { weekday: 'long', timeZone: 'UTC' });
  return (day: Weekday): string => names.format(SUNDAY + (day % 7) * DAY_MS);
};

/** The days of the week as choices, from Sunday on. */
export function weekdayChoices(lang: Lang): Choice[] {
  const nameOf = namesIn(lang);
  return ([7, 1, 2, 3, 4, 5, 6] as const).map((day) => ({ value: String(day), text: nameOf(day) }));
}

/** Days of the week in words: `Saturday and Sunday`. */
export const weekdaysText = (lang: Lang, days: readonly Weekday[]): string =>
  new Intl.ListFormat(LANGUAGES[lang]).format(days.map(namesIn(lang)));
