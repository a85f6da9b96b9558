import { clientIdsOf, actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, fold, inTransaction, lockRows } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { reachOf, type Recipients } from './audience.server.ts';
import { CLIENT_KINDS, MAX_CHOSEN } from './news.ts';
import { articlesOf, assertWritesNews, recipientsOfArticle } from './staff-scope.server.ts';
import { storeText, type ArticleText } from './texts.server.ts';

/* How the firm writes news: every change names the version that it is based on, so that nobody's is overwritten unseen. */

const MAX_ARTICLES = 2000;
/** An article can be withdrawn before anybody hears of it. */
const MAIL_DELAY = 10 * MINUTE;

/**
 * Begins an article as a draft, and returns its id: for these clients, else for all that the author may write to. FORBIDDEN,
 * TOO_MANY, NOT_FOUND for a client of somebody else.
 */
export async function createArticle(
  actor: Actor,
  text: ArticleText,
  clientIds: readonly string[] = [],
): Promise<string> {
  assertWritesNews(actor);
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertWritesNews(current);
    const { count } = await db()
      .selectFrom('articles')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('company_id', '=', current.companyId)
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_ARTICLES) throw new PortalError('TOO_MANY', { most: MAX_ARTICLES });
    if (clientIds.length > MAX_CHOSEN) throw new PortalError('TOO_MANY', { most: MAX_CHOSEN });
    await assertActsForAll(current, clientIds);
    const articleId = newId('article');
    await db()
      .insertInto('articles')
      .values({
        article_id: articleId,
        company_id: current.companyId,
        language: text.lang,
        audience: current.hasAllClients && clientIds.length === 0 ? 'all' : 'clients',
        state: 'draft',
        publish_at: null,
        expire_at: null,
        is_pinned: 0,
        notifies: 1,
        author: current.contactId,
        version: 1,
        created_at: now(),
        modified_at: now(),
      })
      .execute();
    await storeValues(articleId, clientIds);
    await storeText(articleId, text);
    await auditNews(current, 'news.create', articleId);
    return articleId;
  });
}

async function assertActsForAll(actor: Actor, clientIds: readonly string[]): Promise<void> {
  if (clientIds.length === 0) return;
  const own = await clientIdsOf(actor).where('clients.client_id', 'in', clientIds).execute();
  if (own.length < new Set(clientIds).size) throw notFound();
}

/** Changes what an article says in a language; EDIT_CONFLICT if it was changed since, NOT_FOUND, FORBIDDEN. */
export const saveText = (
  actor: Actor,
  articleId: string,
  version: number,
  text: ArticleText,
): Promise<void> =>
  changeArticle(actor, articleId, version, async (current) => {
    await storeText(articleId, text);
    await auditNews(current, 'news.change', articleId);
    return {};
  });

/** Removes a translation; NOT_POSSIBLE for the language that the article was begun in. */
export const removeText = (actor: Actor, articleId: string, lang: Lang): Promise<void> =>
  changeArticle(actor, articleId, undefined, async (current, article) => {
    if (article.language === lang) throw new PortalError('NOT_POSSIBLE');
    await db()
      .deleteFrom('article_texts')
      .where('article_id', '=', articleId)
      .where('lang', '=', lang)
      .execute();
    await auditNews(current, 'news.change', articleId);
    return {};
  });

export interface Settings extends Recipients {
  /** Until when it is shown (epoch ms); null for always. */
  expireAt: number | null;
  isPinned: boolean;
}

/**
 * Changes whom an article is for, and how long it is shown. INVALID for what cannot be chosen, EDIT_CONFLICT, NOT_FOUND,
 * FORBIDDEN for staff with assigned clients who choose others.
 */
export const saveSettings = (
  actor: Actor,
  articleId: string,
  version: number,
  { expireAt, isPinned, ...recipients }: Settings,
): Promise<void> =>
  changeArticle(actor, articleId, version, async (current, article) => {
    if (!current.hasAllClients && recipients.audience !== 'clients') throw new PortalError('FORBIDDEN');
    // chosen clients stay as they are: they are added and removed one by one
    if (recipients.audience !== 'clients' || article.audience !== 'clients')
      await storeValues(articleId, recipients.audience === 'clients' ? [] : valuesOf(recipients));
    await auditNews(current, 'news.change', articleId);
    return { audience: recipients.audience, expire_at: expireAt, is_pinned: isPinned ? 1 : 0 };
  });

function valuesOf({ audience, values }: Recipients): string[] {
  const valid =
    audience === 'kinds' ? CLIENT_KINDS.filter((kind) => values.includes(kind)) : values.map(fold);
  if (audience === 'all') return [];
  if (valid.length === 0) throw new PortalError('INVALID', { field: audience });
  return [...new Set(valid)];
}

async function storeValues(articleId: string, values: readonly string[]): Promise<void> {
  await db().deleteFrom('article_audiences').where('article_id', '=', articleId).execute();
  if (values.length === 0) return;
  await db()
    .insertInto('article_audiences')
    .values(values.map((value) => ({ article_id: articleId, value })))
    .execute();
}

/** Adds a client to those whom an article is for, or removes it. NOT_POSSIBLE for another audience, NOT_FOUND, TOO_MANY. */
export const chooseClient = (
  actor: Actor,
  articleId: string,
  clientId: string,
  isChosen: boolean,
): Promise<void> =>
  changeArticle(actor, articleId, undefined, async (current, article) => {
    if (article.audience !== 'clients') throw new PortalError('NOT_POSSIBLE');
    const isOwn = await clientIdsOf(current).where('clients.client_id', '=', clientId).executeTakeFirst();
    if (!isOwn) throw notFound();
    const { values } = await recipientsOfArticle(article);
    if (isChosen && values.length >= MAX_CHOSEN) throw new PortalError('TOO_MANY', { most: MAX_CHOSEN });
    const others = values.filter((value) => value !== clientId);
    await storeValues(articleId, isChosen ? [...others, clientId] : others);
    await auditNews(current, 'news.change', articleId);
    return {};
  });

/**
 * Publishes an article now or at a time. EMPTY for one that is for no client, EXPIRED if it would be over by then,
 * EDIT_CONFLICT, NOT_FOUND, FORBIDDEN.
 */
export const publishArticle = (
  actor: Actor,
  articleId: string,
  version: number,
  { publishAt, notifies }: { publishAt: number | undefined; notifies: boolean },
): Promise<void> =>
  changeArticle(actor, articleId, version, async (current, article) => {
    const from = Math.max(publishAt ?? now(), now());
    if (article.expire_at !== null && article.expire_at <= from) throw new PortalError('EXPIRED');
    const { clients } = await reachOf(current.companyId, await recipientsOfArticle(article));
    if (clients === 0) throw new PortalError('EMPTY');
    if (notifies) await scheduleMails(current.companyId, { articleId, publishAt: from });
    await auditNews(current, 'news.publish', articleId);
    return { state: 'published', publish_at: from, notifies: notifies ? 1 : 0 };
  });

/** What the job of the mails is told. */
export interface MailsOfArticle {
  articleId: string;
  publishAt: number;
}

/** The kind of the job that sends the mails about an article. */
export const NEWS_MAILS = 'news-mails';

const scheduleMails = (companyId: string, mails: MailsOfArticle): Promise<void> =>
  enqueue(
    NEWS_MAILS,
    mails,
    `news:${mails.articleId}@${mails.publishAt}`,
    companyId,
    mails.publishAt + MAIL_DELAY,
  );

/** Takes an article back: nobody sees it any more, and it can be published again. NOT_POSSIBLE, NOT_FOUND, FORBIDDEN. */
export const withdrawArticle = (actor: Actor, articleId: string): Promise<void> =>
  changeArticle(actor, articleId, undefined, async (current, article) => {
    if (article.state !== 'published') throw new PortalError('NOT_POSSIBLE');
    await auditNews(current, 'news.withdraw', articleId);
    return { state: (article.publish_at ?? 0) > now() ? 'draft' : 'withdrawn' };
  });

/** Deletes an article that is no longer shown, or never was; NOT_POSSIBLE for another one, NOT_FOUND, FORBIDDEN. */
export async function deleteArticle(actor: Actor, articleId: string): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    const article = await lockedArticle(current, articleId);
    if (article.state === 'published') throw new PortalError('NOT_POSSIBLE');
    await auditNews(current, 'news.delete', articleId);
    await db().deleteFrom('articles').where('article_id', '=', articleId).execute();
  });
}

/** Articles for a client that was merged are for the one it was merged into. */
export async function followMergedClient({ from, into }: { from: string; into: string }): Promise<void> {
  const rows = await db()
    .deleteFrom('article_audiences')
    .where('value', '=', from)
    .returning('article_id')
    .execute();
  if (rows.length === 0) return;
  await db()
    .insertInto('article_audiences')
    .values(rows.map((row) => ({ article_id: row.article_id, value: into })))
    .onConflict((conflict) => conflict.columns(['article_id', 'value']).doNothing())
    .execute();
}

type Article = Awaited<ReturnType<typeof lockedArticle>>;
type Change = Partial<
  Pick<Article, 'audience' | 'state' | 'publish_at' | 'expire_at' | 'is_pinned' | 'notifies'>
>;

/** Locks an article and changes it, if it still has the version that the person saw. */
async function changeArticle(
  actor: Actor,
  articleId: string,
  version: number | undefined,
  change: (current: Actor, article: Article) => Promise<Change>,
): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    const article = await lockedArticle(current, articleId);
    if (version !== undefined && article.version !== version) throw new PortalError('EDIT_CONFLICT');
    const changed = await change(current, article);
    await db()
      .updateTable('articles')
      .set({ ...changed, version: article.version + 1, modified_at: now() })
      .where('article_id', '=', articleId)
      .execute();
  });
}

async function lockedArticle(actor: Actor, articleId: string) {
  assertWritesNews(actor);
  const article = await articlesOf(actor)
    .selectAll('articles')
    .where('articles.article_id', '=', articleId)
    .modifyEnd(lockRows)
    .executeTakeFirst();
  if (!article) throw notFound();
  return article;
}

const auditNews = (
  { companyId, contactId }: Actor,
  action: `news.${'create' | 'change' | 'publish' | 'withdraw' | 'delete'}`,
  target: string,
): Promise<void> => audit({ companyId, actor: contactId, action, target });
