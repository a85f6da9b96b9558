import type { Session } from '#features/base/people/people.ts';
import type { Lang } from '#platform/text/languages.ts';
import { articlesIn } from './articles.server.ts';
import { isFor } from './audience.ts';
import type { Article } from './help.ts';

const MAX_SUGGESTIONS = 5;

/** The articles about a page, the closest first, from memory. `pattern` is the page's in src/routes.ts. */
export function suggestedArticles(lang: Lang, pattern: string, session: Pick<Session, 'actor'>): Article[] {
  const page = pattern.replace(/^\/\[base\]\/\[lang\]\/?/, '');
  return [...articlesIn(lang).values()]
    .filter((article) => isFor(article, session))
    .map((article) => ({
      article,
      closeness: Math.max(...article.pages.map((own) => closenessOf(own, page))),
    }))
    .filter(({ closeness }) => closeness > 0)
    .toSorted((one, other) => other.closeness - one.closeness)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ article }) => article);
}

/** How closely an article for `own` is about `page`: it is the page, or one above it. */
const closenessOf = (own: string, page: string): number =>
  page === own || page.startsWith(`${own}/`) ? own.length : 0;
