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
  const page = withSeen(actor)
    .orderBy('articles.is_pinned', 'desc')
    .orderBy('articles.publish_at', 'desc')
    .orderBy('articles.article_id')
    .limit(limit)
    .offset(start);
  return { items: presented(await withTexts(page).execute(), lang), totalItems: Number(total) };
}

/** The news that the actor has not seen, pinned ones first, then the newest; if they have seen all, the newest. */
export async function freshArticles(actor: Actor, lang: Lang, limit: number): Promise<ListedArticle[]> {
  const first = withSeen(actor)
    .orderBy(sql`reads.seen_at is not null`)
    .orderBy('articles.is_pinned', 'desc')
    .orderBy('articles.publish_at', 'desc')
    .orderBy('articles.article_id')
    .limit(limit);
  const articles = presented(await withTexts(first).execute(), lang);
  const unseen = articles.filter(({ seen }) => !seen);
  return unseen.length > 0 ? unseen : articles.slice(0, 1);
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

/** Some articles with their texts, of which each is a row; in the order of the lists. */
const withTexts = (articles: ReturnType<typeof withSeen>) =>
  db()
    .selectFrom(articles.as('shown'))
    .innerJoin('article_texts as texts', 'texts.article_id', 'shown.article_id')
    .selectAll('shown')
    .select(['texts.lang', 'texts.title', 'texts.summary', 'texts.body'])
    .orderBy('shown.is_pinned', 'desc')
    .orderBy('shown.publish_at', 'desc')
    .orderBy('shown.article_id')
    .orderBy('texts.lang');

const presented = (rows: readonly (Row & TextRow)[], lang: Lang): ListedArticle[] =>
  [...Map.groupBy(rows, (row) => row.article_id).values()].flatMap((texts) => {
    const text = textFor(texts, lang, texts[0]?.language ?? lang);
    return text ? [present(text, text)] : [];
  });

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
