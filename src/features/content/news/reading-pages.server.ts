import { useList } from '#platform/forms/lists.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { sharedList } from './lists.server.ts';
import { articleFor, listArticles, openArticle } from './reading.server.ts';

interface Page {
  url: URL;
  request: Request;
  locals: Pick<App.Locals, 'lang' | 'session' | 'pathTo' | 'mayOpen'>;
}

const A_PAGE = 20;

/** All news for a contact; staff are led to those that they write. */
export async function sharedNewsPage(page: Page) {
  const { lang, session } = page.locals;
  if (session.actor.staff) return ofStaff(page);
  const list = useList(page, sharedList);
  const { items, totalItems } = await listArticles(session.actor, lang, {
    start: list.query.from,
    limit: A_PAGE,
  });
  return { items, pager: list.pager(totalItems, A_PAGE) };
}

/** An article for a contact, which is seen then. */
export function sharedArticlePage(page: Page, articleId: string) {
  const { lang, session } = page.locals;
  if (session.actor.staff) return ofStaff(page);
  const read = page.request.method === 'GET' ? openArticle : articleFor;
  return read(session.actor, articleId, lang);
}

const ofStaff = ({ locals: { pathTo, mayOpen } }: Page): Response =>
  redirectTo(pathTo(mayOpen('staff/news') ? 'staff/news' : 'staff'));
