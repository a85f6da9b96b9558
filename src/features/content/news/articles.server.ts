import type { Actor } from '#features/base/people/people.ts';
import { isOwnContact } from '#features/base/people/people.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { reachOf, type Reach, type Recipients } from './audience.server.ts';
import {
  articleRow,
  articlesOf,
  assertWritesNews,
  hasStatus,
  recipientsOfArticle,
  statusOf,
  type Status,
} from './staff-scope.server.ts';
import { part, textFor, textRows, wholeText, type ArticleText } from './texts.server.ts';

/* The firm's articles as those who write them see them. */

export const ARTICLES_A_PAGE = 50;
const MAX_READERS = 200;

export interface StaffArticle extends Recipients {
  id: string;
  title: string;
  status: Status;
  publishAt: number | null;
  expireAt: number | null;
  isPinned: boolean;
  modifiedAt: number;
  /** How many people have seen it. */
  seen: number;
}

/** Lists the articles that the actor may change, the last changed first; FORBIDDEN. */
export async function listOwnArticles(
  actor: Actor,
  lang: Lang,
  { show, from }: { show: Status | ''; from: number },
): Promise<{ articles: StaffArticle[]; total: number }> {
  assertWritesNews(actor);
  const matching = articlesOf(actor).$if(show !== '', (articles) =>
    articles.where(hasStatus(show === '' ? 'draft' : show)),
  );
  const { total } = await matching
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll('articles')
    .select((e) =>
      e
        .selectFrom('article_reads as reads')
        .select((r) => r.fn.countAll<number>().as('count'))
        .whereRef('reads.article_id', '=', 'articles.article_id')
        .as('seen'),
    )
    .orderBy('articles.modified_at', 'desc')
    .orderBy('articles.article_id')
    .limit(ARTICLES_A_PAGE)
    .offset(from)
    .execute();
  const ids = rows.map((row) => row.article_id);
  const [texts, values] = [await textRows(ids), await valuesOf(ids)];
  const articles = rows.map((row): StaffArticle => {
    const text = textFor(texts.get(row.article_id) ?? [], lang, row.language);
    return {
      id: row.article_id,
      title: text ? part(text, 'title') : '',
      status: statusOf(row),
      publishAt: row.publish_at,
      expireAt: row.expire_at,
      isPinned: row.is_pinned === 1,
      modifiedAt: row.modified_at,
      audience: row.audience,
      values: values.get(row.article_id) ?? [],
      seen: Number(row.seen),
    };
  });
  return { articles, total: Number(total) };
}

async function valuesOf(articleIds: readonly string[]): Promise<Map<string, string[]>> {
  if (articleIds.length === 0) return new Map();
  const rows = await db()
    .selectFrom('article_audiences')
    .selectAll()
    .where('article_id', 'in', articleIds)
    .execute();
  const byArticle = Map.groupBy(rows, (row) => row.article_id);
  return new Map([...byArticle].map(([id, own]) => [id, own.map(({ value }) => value)]));
}

export interface WrittenArticle extends Recipients {
  id: string;
  language: Lang;
  status: Status;
  publishAt: number | null;
  expireAt: number | null;
  isPinned: boolean;
  notifies: boolean;
  version: number;
  texts: readonly ArticleText[];
}

/** Reads an article with all its texts; NOT_FOUND, FORBIDDEN. */
export async function writtenArticle(actor: Actor, articleId: string): Promise<WrittenArticle> {
  const row = await articleRow(actor, articleId);
  const texts = (await textRows([articleId])).get(articleId) ?? [];
  return {
    id: row.article_id,
    language: row.language,
    status: statusOf(row),
    publishAt: row.publish_at,
    expireAt: row.expire_at,
    isPinned: row.is_pinned === 1,
    notifies: row.notifies === 1,
    version: row.version,
    texts: texts.map(wholeText),
    ...(await recipientsOfArticle(row)),
  };
}

export interface Reader {
  name: string;
  at: number;
}

/** Whom an article is for, and who of them has seen it: the last 200, of the contacts whom the actor sees. */
export async function readersOf(
  actor: Actor,
  { id, audience, values }: Pick<WrittenArticle, 'id' | 'audience' | 'values'>,
): Promise<{ reach: Reach; seen: number; readers: Reader[] }> {
  const reach = await reachOf(actor.companyId, { audience, values });
  const { seen } = await db()
    .selectFrom('article_reads')
    .select((e) => e.fn.countAll<number>().as('seen'))
    .where('article_id', '=', id)
    .executeTakeFirstOrThrow();
  const rows = await db()
    .selectFrom('article_reads')
    .innerJoin('contacts', 'contacts.contact_id', 'article_reads.contact_id')
    .select(['contacts.full_name', 'article_reads.seen_at'])
    .where('article_reads.article_id', '=', id)
    .where(isOwnContact(actor))
    .orderBy('article_reads.seen_at', 'desc')
    .orderBy('contacts.contact_id')
    .limit(MAX_READERS)
    .execute();
  return {
    reach,
    seen: Number(seen),
    readers: rows.map((row) => ({ name: row.full_name, at: row.seen_at })),
  };
}
