import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { nextDates } from './dates.server.ts';
import { dayText, titleOf } from './sentences.server.ts';

const MAX_DATES = 5;

/** The next five tax dates of all companies; nothing where the firm keeps no tax calendar. */
export const taxCalendarWidget: Contributions['widgets'][number] = {
  id: 'tax-calendar',
  section: 1,
  order: 20,
  page: 'tax-calendar',
  title: text('tax-calendar', 'title'),
  load: async ({ actor, lang, pathTo, today }) => {
    const t = translationsFor(lang, 'tax-calendar');
    const dates = await nextDates(actor, { from: today, limit: MAX_DATES });
    return {
      rows: dates.map((date) => ({
        title: titleOf(lang, date),
        href: pathTo('tax-calendar', { client: date.clientId }),
        clientId: date.clientId,
        notes: [
          { text: date.dueOn === today ? t('today') : t('until', { date: dayText(lang, date.dueOn) }) },
          ...(date.isConfirmed ? [] : [{ text: t('notConfirmed') }]),
        ],
      })),
      ...(dates.length > 0 && { more: { label: t('showAll'), href: pathTo('tax-calendar') } }),
    };
  },
};
