import type { Contributions } from '#platform/runtime/feature.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { mayRetain, retentionOf } from './retention.server.ts';

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/retention',
    group: 'records',
    icon: 'save',
    order: 150,
    title: text('retention', 'title'),
    text: text('retention', 'settingsText'),
    isFor: mayRetain,
    state: async ({ lang, locale, timeZone, session }) => {
      const t = translationsFor(lang, 'retention');
      const { startsAt } = await retentionOf(session.actor);
      if (startsAt === 0) return t('keepsAll');
      const date = formatDate(locale, startsAt, timeZone);
      return t(startsAt > now() ? 'appliesFrom' : 'appliesSince', { date });
    },
  },
];
