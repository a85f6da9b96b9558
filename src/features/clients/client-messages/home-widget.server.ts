import type { Contributions } from '#platform/runtime/feature.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { unreadByClient } from './reading.server.ts';

const MAX_ROWS = 3;

/** The companies with messages that the reader has not read. */
export const clientMessagesWidget: Contributions['widgets'][number] = {
  id: 'client-messages',
  section: 1,
  order: 38,
  page: 'messages',
  title: text('client-messages', 'widgetTitle'),
  load: async ({ actor, lang, locale, timeZone, pathTo }) => {
    const t = translationsFor(lang, 'threads');
    const unread = await unreadByClient(actor, MAX_ROWS);
    return {
      rows: unread.map(({ clientId, count, newestAt }) => ({
        title: t('newMessages', { count }),
        href: `${pathTo('messages', { client: clientId })}#messages`,
        isUnread: true,
        clientId,
        notes: [{ text: formatDate(locale, newestAt, timeZone), at: new Date(newestAt).toISOString() }],
      })),
    };
  },
};
