import { sql } from 'kysely';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError, unlessStorageIsFull } from '#platform/runtime/errors.server.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { recordDone } from '#platform/mail/mail-log.server.ts';
import { isForActor } from './audience.server.ts';
import { aboutArticle } from './mail-targets.ts';
import { renderMarkdown } from './markdown.server.ts';
import type { ArticlePage, ListedArticle, SharedArticle } from './news.ts';
import { part, textFor, textRows, type TextRow } from './texts.server.ts';

/* News as people of clients read them: what is published now, for a client that they act for. */

/** Lists the news for the actor, pinned ones first, then the newest. */
export async function listArticles(
  actor: Actor,
  lang: Lang,
  { start, limit }: { start: number; limit: number },
): Promise<ArticlePage> {
  const { total } = await shownTo(actor)
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await withSeen(actor)
    .orderBy('articles.is_pinned', 'desc')
    .orderBy('articles.publish_at', 'desc')
    .orderBy('articles.article_id')
    .limit(limit)
    .offset(start)
    .execute();
  return { items: await presented(rows, lang), totalItems: Number(total) };
}

/** The news that the actor has not seen, pinned ones first, then the newest; if they have seen all, the newest. */
export async function freshArticles(actor: Actor, lang: Lang, limit: number): Promise<ListedArticle[]> {
  const rows = await withSeen(actor)
    .orderBy(sql`reads.seen_at is not null`)
    .orderBy('articles.is_pinned', 'desc')
    .orderBy('articles.publish_at', 'desc')
    .orderBy('articles.article_id')
    .limit(limit)
    .execute();
  const unseen = rows.filter((row) => row.seen_at === null);
  return presented(unseen.length > 0 ? unseen : rows.slice(0, 1), lang);
}

/** Reads an article; NOT_FOUND unless it is shown to the actor now. */
export async function articleFor(actor: Actor, articleId: string, lang: Lang): Promise<SharedArticle> {
  const row = await withSeen(actor).where('articles.article_id', '=', articleId).executeTakeFirst();
  const text = row && textFor((await textRows([articleId])).get(articleId) ?? [], lang, row.language);
  if (!text) throw notFound();
  const body = part(text, 'body');
  return { ...present(row, text), body, html: renderMarkdown(body).html };
}

/**
 * Notes that the actor has seen an article; again changes nothing. FORBIDDEN for staff, who are no readers, NOT_FOUND
 * unless it is shown to the actor now.
 */
export async function markSeen(actor: Actor, articleId: string): Promise<void> {
  if (actor.staff) throw new PortalError('FORBIDDEN');
  await inTransaction(async () => {
    const row = await withSeen(actor).where('articles.article_id', '=', articleId).executeTakeFirst();
    if (!row) throw notFound();
    if (row.seen_at !== null) return;
    await db()
      .insertInto('article_reads')
      .values({ article_id: articleId, contact_id: actor.contactId, seen_at: now() })
      .onConflict((conflict) => conflict.columns(['article_id', 'contact_id']).doNothing())
      .execute();
    await recordDone([aboutArticle(articleId)], actor.contactId);
  });
}

/** Reads an article as its page does, which marks it as seen unless staff view as its reader. */
export async function openArticle(actor: Actor, articleId: string, lang: Lang): Promise<SharedArticle> {
  const article = await articleFor(actor, articleId, lang);
  if (!article.seen && !actor.staff && actor.viewedBy === undefined)
    await unlessStorageIsFull(() => markSeen(actor, articleId));
  return article;
}

/** The articles that are shown to the actor now. */
const shownTo = (actor: Actor) =>
  db()
    .selectFrom('articles')
    .where('articles.company_id', '=', actor.companyId)
    .where('articles.state', '=', 'published')
    .where('articles.publish_at', '<=', now())
    .where((e) => e.or([e('articles.expire_at', 'is', null), e('articles.expire_at', '>', now())]))
    .where(isForActor(actor));

const withSeen = (actor: Actor) =>
  shownTo(actor)
    .leftJoin('article_reads as reads', (join) =>
      join.onRef('reads.article_id', '=', 'articles.article_id').on('reads.contact_id', '=', actor.contactId),
    )
    .select([
      'articles.article_id',
      'articles.language',
      'articles.publish_at',
      'articles.expire_at',
      'articles.is_pinned',
      'reads.seen_at',
    ]);
type Row = Awaited<ReturnType<ReturnType<typeof withSeen>['execute']>>[number];

async function presented(rows: readonly Row[], lang: Lang): Promise<ListedArticle[]> {
  const texts = await textRows(rows.map((row) => row.article_id));
  return rows.flatMap((row) => {
    const text = textFor(texts.get(row.article_id) ?? [], lang, row.language);
    return text ? [present(row, text)] : [];
  });
}

const present = (row: Row, text: TextRow): ListedArticle => ({
  id: row.article_id,
  title: part(text, 'title'),
  summary: part(text, 'summary'),
  language: LANGUAGES[text.lang],
  publishedDate: new Date(row.publish_at ?? 0).toISOString(),
  expirationDate: row.expire_at === null ? null : new Date(row.expire_at).toISOString(),
  isPinned: row.is_pinned === 1,
  seen: row.seen_at !== null,
});
