import { sql } from 'kysely';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import type { Recipients } from './audience.server.ts';

/*
 * Who of the firm writes news: staff who publish. Those with assigned clients write for these only, and find the articles
 * that are for no other client.
 */

/** Throws FORBIDDEN for those who may not publish. */
export function assertWritesNews({ staff, access }: Actor): void {
  if (!staff || !access.permissions.has('Publish')) throw new PortalError('FORBIDDEN');
}

/** The articles of the firm that the actor may change. */
export const articlesOf = (actor: Actor) =>
  db()
    .selectFrom('articles')
    .where('articles.company_id', '=', actor.companyId)
    .$if(!actor.hasAllClients, (articles) =>
      articles
        .where('articles.audience', '=', 'clients')
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('article_audiences as foreign_clients')
                .select('foreign_clients.value')
                .whereRef('foreign_clients.article_id', '=', 'articles.article_id')
                .where('foreign_clients.value', 'not in', clientIdsOf(actor)),
            ),
          ),
        ),
    );

/** What an article is for its staff: a published one may wait for its time, or be over. */
export const STATUSES = ['draft', 'planned', 'published', 'expired', 'withdrawn'] as const;
export type Status = (typeof STATUSES)[number];

interface Dated {
  state: 'draft' | 'published' | 'withdrawn';
  publish_at: number | null;
  expire_at: number | null;
}

export function statusOf({ state, publish_at: from, expire_at: until }: Dated): Status {
  if (state !== 'published') return state;
  if (until !== null && until <= now()) return 'expired';
  return from !== null && from > now() ? 'planned' : 'published';
}

/** The same as a condition on `articles`. */
export function hasStatus(status: Status) {
  const isShown = sql`articles.publish_at <= ${now()}`;
  const isOver = sql`coalesce(articles.expire_at <= ${now()}, false)`;
  switch (status) {
    case 'planned':
      return sql<boolean>`(articles.state = 'published' and not ${isOver} and not ${isShown})`;
    case 'published':
      return sql<boolean>`(articles.state = 'published' and not ${isOver} and ${isShown})`;
    case 'expired':
      return sql<boolean>`(articles.state = 'published' and ${isOver})`;
    default:
      return sql<boolean>`articles.state = ${status}`;
  }
}

export async function recipientsOfArticle(article: {
  article_id: string;
  audience: Recipients['audience'];
}): Promise<Recipients> {
  const rows = await db()
    .selectFrom('article_audiences')
    .select('value')
    .where('article_id', '=', article.article_id)
    .orderBy('value')
    .execute();
  return { audience: article.audience, values: rows.map(({ value }) => value) };
}

/** An article that the actor may change, as stored; NOT_FOUND, FORBIDDEN. */
export async function articleRow(actor: Actor, articleId: string) {
  assertWritesNews(actor);
  const row = await articlesOf(actor)
    .selectAll()
    .where('articles.article_id', '=', articleId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}
