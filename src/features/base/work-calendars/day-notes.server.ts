import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Day } from './days.ts';
import { weekdayOf } from './days.ts';
import { holidaysAt } from './firm-holidays.server.ts';

/**
 * What is to be said beside a date that somebody has chosen, such as that of a task: that it is on a weekend, or on a holiday of
 * the firm. The date stays as it is. Empty for a working day.
 */
export async function dayNote(companyId: string, day: Day, lang: Lang): Promise<string> {
  const t = translationsFor(lang, 'work-calendars');
  const isHoliday = await holidaysAt(companyId);
  if (isHoliday(day)) return t('onHoliday');
  return weekdayOf(day) > 5 ? t('onWeekend') : '';
}
