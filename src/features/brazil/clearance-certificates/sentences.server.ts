import { formatDate } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Followed } from './following.server.ts';
import { daysLeft } from './lights.ts';

/** A day as people read it; empty for none. */
export const dayText = (lang: Lang, day: string): string =>
  day === '' ? '' : formatDate(LANGUAGES[lang], `${day}T00:00:00Z`, 'UTC');

/** What is known at an agency, as a sentence: `Vence em 6 dias`. */
export function lightSentence(
  lang: Lang,
  { light, validUntil }: Pick<Followed, 'light' | 'validUntil'>,
  { today, firm }: { today: string; firm: string },
): string {
  const t = translationsFor(lang, 'clearance-certificates');
  const date = dayText(lang, validUntil);
  switch (light) {
    case 'valid':
      return t('validUntilDate', { date });
    case 'expiring': {
      const count = daysLeft(validUntil, today);
      return count === 0 ? t('lapsesToday') : t('lapsesIn', { count });
    }
    case 'expired':
      return t('lapsedOn', { date });
    case 'positive':
      return t('positiveText', { firm });
    case 'missing':
      return t('missingText');
  }
}
