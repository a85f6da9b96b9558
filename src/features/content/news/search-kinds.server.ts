import type { Contributions } from '#platform/runtime/feature.server.ts';
import { fold } from '#platform/database/database.server.ts';
import { text as textOf } from '#platform/text/texts.server.ts';
import { listOwnArticles } from './articles.server.ts';
import { listArticles } from './reading.server.ts';

/** Titles are encrypted, so the newest articles are read: no more is promised. */
const MAX_READ = 50;

const withTitle = <Article extends { title: string }>(
  articles: readonly Article[],
  text: string,
): Article[] => articles.filter(({ title }) => fold(title).includes(fold(text)));

/** News by title: what contacts are shown, and what the firm wrote. */
export const searchKinds: Contributions['search'] = [
  {
    kind: 'news',
    order: 60,
    label: textOf('news', 'title'),
    icon: 'newspaper',
    page: 'home/news',
    isFor: ({ session: { actor } }) => !actor.staff,
    find: async ({ actor, lang, text, limit, pathTo }) => {
      const { items } = await listArticles(actor, lang, { start: 0, limit: MAX_READ });
      const found = withTitle(items, text).slice(0, limit + 1);
      return {
        hits: found.map(({ id, title }) => ({ title, href: pathTo(`home/news/${id}`) })),
        all: pathTo('home/news'),
      };
    },
  },
  {
    kind: 'articles',
    order: 60,
    label: textOf('news', 'title'),
    icon: 'newspaper',
    page: 'staff/news',
    find: async ({ actor, lang, text, limit, pathTo }) => {
      const { articles } = await listOwnArticles(actor, lang, { show: '', from: 0 });
      const found = withTitle(articles, text).slice(0, limit + 1);
      return {
        hits: found.map(({ id, title }) => ({ title, href: pathTo(`staff/news/${id}`) })),
        all: pathTo('staff/news'),
      };
    },
  },
];
