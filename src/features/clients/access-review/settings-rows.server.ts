import type { Contributions } from '#platform/runtime/feature.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { listReviews, mayReview, planOf } from './access-review.server.ts';

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/access-review',
    group: 'people',
    icon: 'users',
    order: 80,
    title: text('access-review', 'title'),
    text: text('access-review', 'intro'),
    isFor: mayReview,
    state: async ({ lang, locale, timeZone, session: { actor } }) => {
      const t = translationsFor(lang, 'access-review');
      const dateOf = (instant: number): string => formatDate(locale, instant, timeZone);
      const open = (await listReviews(actor)).find(({ finishedAt }) => finishedAt === undefined);
      if (open) return t('isOpen', { date: dateOf(open.dueAt), total: open.total, decided: open.decided });
      const { interval, startsAt } = await planOf(actor);
      return interval === '0' ? t('noNext') : t('settingsNext', { date: dateOf(startsAt) });
    },
  },
];
