import { partsOfDay, type Day } from '#features/base/work-calendars/days.ts';
import { formatDate } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { ruleOf } from './obligations/all.ts';
import type { Country } from './profile.ts';
import type { Period } from './rules.ts';
import type { TaxDate } from './tax-calendar.ts';

/** The languages in which the names of rules are. */
const NAMED_IN: Readonly<Record<Country, string>> = {
  us: 'en-US',
  gb: 'en-GB',
  ca: 'en-CA',
  au: 'en-AU',
  ar: 'es-AR',
  br: 'pt-BR',
};

/** The language of the name of a date, for screen readers; undefined for one that the firm wrote. */
export const languageOfName = (ruleKey: string): string | undefined => {
  const rule = ruleOf(ruleKey);
  return rule && NAMED_IN[rule.country];
};

const format = (lang: Lang, day: Day, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(LANGUAGES[lang], { ...options, timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );

/** A day as text: "Nov 30, 2026". */
export const dayText = (lang: Lang, day: Day): string => formatDate(LANGUAGES[lang], day, 'UTC');

/** A day of a list under its month: "Mon, Nov 30". */
export const shortDayText = (lang: Lang, day: Day): string =>
  format(lang, day, { weekday: 'short', month: 'short', day: 'numeric' });

/** A month as a heading: "November 2026". */
export const monthText = (lang: Lang, day: Day): string =>
  format(lang, day, { month: 'long', year: 'numeric' });

/** What period a date is for; empty where it is for none. */
export function periodText(lang: Lang, { ruleKey, period }: Pick<TaxDate, 'ruleKey' | 'period'>): string {
  const rule = ruleOf(ruleKey);
  if (!rule || 'on' in rule.period) return '';
  const t = translationsFor(lang, 'tax-calendar');
  switch (kindOfPeriod(rule.period)) {
    case 'month':
      return t('forPeriod', { period: monthText(lang, period) });
    case 'year':
      return t('forPeriod', { period: String(partsOfDay(period).year) });
    case 'until':
      return t('forPeriodUntil', { date: dayText(lang, period) });
  }
}

/** Whole months and calendar years have names; what else ends on a day is called by it. */
function kindOfPeriod(period: Exclude<Period, { on: readonly string[] }>): 'month' | 'year' | 'until' {
  if (period.every === 'month') return period.endsOn ? 'until' : 'month';
  return period.every === 'year' && period.endsOn === undefined ? 'year' : 'until';
}

/** The name of a date with its period: "Form 941 for the period to Sep 30, 2026". */
export function titleOf(lang: Lang, date: TaxDate): string {
  const period = periodText(lang, date);
  return period === '' ? date.name : `${date.name}, ${period}`;
}
