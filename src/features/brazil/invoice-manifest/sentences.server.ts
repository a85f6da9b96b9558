import { formatDate } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Status } from './invoice-manifest.ts';

/** A day as people read it. */
export const dayText = (lang: Lang, day: string): string =>
  formatDate(LANGUAGES[lang], `${day}T00:00:00Z`, 'UTC');

/** How long an invoice can still be decided about; empty for one that nobody has to. */
export function deadlineSentence(
  lang: Lang,
  { status, lastDay, daysLeft }: { status: Status; lastDay: string; daysLeft: number },
): string {
  const t = translationsFor(lang, 'invoice-manifest');
  if (status === 'expired') return t('endedOn', { date: dayText(lang, lastDay) });
  if (status !== 'pending' && status !== 'aware') return '';
  return daysLeft === 0 ? t('lastDayToday') : t('daysLeft', { count: daysLeft });
}
