import type { Contributions } from '#platform/runtime/feature.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { freshArticles } from './reading.server.ts';

const MAX_UNSEEN = 3;

/** News that the reader has not seen, at most three, else the newest; nothing where the firm publishes none. */
export const newsWidget: Contributions['widgets'][number] = {
  id: 'news',
  section: 1,
  order: 30,
  page: 'home/news',
  title: text('news', 'title'),
  load: async ({ actor, lang, locale, timeZone, pathTo }) => {
    const t = translationsFor(lang, 'news');
    const articles = await freshArticles(actor, lang, MAX_UNSEEN);
    return {
      rows: articles.map(({ id, title, publishedDate, seen }) => ({
        title,
        href: pathTo(`home/news/${id}`),
        isUnread: !seen,
        notes: [{ text: formatDate(locale, publishedDate, timeZone), at: publishedDate }],
      })),
      ...(articles.length > 0 && { more: { label: t('homeAll'), href: pathTo('home/news') } }),
    };
  },
};
