import type { Contributions } from '#platform/runtime/feature.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { isAtWork } from './data-exports.ts';
import { listDataExports } from './data-exports.server.ts';

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/data-exports',
    group: 'records',
    icon: 'download',
    order: 160,
    title: text('data-exports', 'title'),
    text: text('data-exports', 'settingsText'),
    permission: 'ManageFirm',
    state: async ({ lang, locale, timeZone, session }) => {
      const t = translationsFor(lang, 'data-exports');
      const [latest] = await listDataExports(session.actor);
      if (latest === undefined) return t('noEarlier');
      if (isAtWork(latest.state)) return t('currentTitle');
      return t('settingsLast', { date: formatDate(locale, latest.createdAt, timeZone) });
    },
  },
];
