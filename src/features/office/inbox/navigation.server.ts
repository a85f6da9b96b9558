import type { Contributions } from '#platform/runtime/feature.server.ts';
import { formatNumber } from '#platform/text/formats.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { unreadFor } from './inbox.server.ts';
import { MAX_UNREAD } from './inbox.ts';

export const navigation: Contributions['navigation'] = [
  {
    side: 'staff',
    page: 'staff/inbox',
    order: 10,
    label: text('inbox', 'title'),
    icon: 'inbox',
    key: 'i',
    badge: async ({ lang, locale, session }) => {
      const unread = await unreadFor(session.actor);
      if (unread === undefined) return undefined;
      const count =
        unread < MAX_UNREAD ? formatNumber(locale, unread) : `${formatNumber(locale, MAX_UNREAD - 1)}+`;
      return { text: count, label: translationsFor(lang, 'inbox')('unreadCount', { count }) };
    },
  },
];
