import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorsOf } from '#features/base/people/people.server.ts';
import { canAccessPortal, hasPart, type Actor } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import { queueMail, type Mail } from '#platform/mail/mail.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { recipientsAfter } from './audience.server.ts';
import { aboutArticle } from './mail-targets.ts';
import { recipientsOfArticle, statusOf } from './staff-scope.server.ts';
import { part, textFor, textRows } from './texts.server.ts';
import type { MailsOfArticle } from './writing.server.ts';

/*
 * People are told of an article some minutes after it is published, so that it can be withdrawn before anybody hears of
 * it. Who has seen it by then needs no mail; nobody gets a second one about the same article.
 */

const AT_ONCE = 200;

/** The job that notifies the readers of an article; not if it was withdrawn, or is published at another time. */
export async function sendNewsMails(payload: unknown): Promise<void> {
  const mails = payload as MailsOfArticle;
  let after: string | undefined = '';
  while (after !== undefined) {
    const position: string = after;
    after = await inTransaction(() => notifyNext(mails, position));
  }
}

/** Notifies the next readers, and returns the id of the last one; undefined after the last of all. */
async function notifyNext(
  { articleId, publishAt }: MailsOfArticle,
  after: string,
): Promise<string | undefined> {
  const article = await db()
    .selectFrom('articles')
    .selectAll()
    .where('article_id', '=', articleId)
    .executeTakeFirst();
  if (article?.publish_at !== publishAt || statusOf(article) !== 'published' || article.notifies === 0)
    return undefined;
  const recipients = await recipientsAfter(article.company_id, await recipientsOfArticle(article), {
    after,
    limit: AT_ONCE,
  });
  const seen = await readersAmong(
    articleId,
    recipients.map(({ contactId }) => contactId),
  );
  const unaware = new Map(
    recipients.flatMap(({ contactId, clientId }) =>
      seen.has(contactId) ? [] : [[contactId, clientId] as const],
    ),
  );
  const texts = (await textRows([articleId])).get(articleId) ?? [];
  const firm = await firmOf(article.company_id);
  for (const reader of await actorsOf([...unaware.keys()])) {
    const text = textFor(texts, languageOf(reader.language) ?? DEFAULT_LANG, article.language);
    if (!text || !canAccessPortal(reader) || !hasPart(reader.access, 'dashboards')) continue;
    const about = { articleId, clientId: unaware.get(reader.contactId) };
    await queueMail(
      newsMail(firm, reader, { ...about, title: part(text, 'title'), summary: part(text, 'summary') }),
      `news:${articleId}:${reader.contactId}`,
    );
  }
  return recipients.length < AT_ONCE ? undefined : recipients.at(-1)?.contactId;
}

async function readersAmong(articleId: string, contactIds: readonly string[]): Promise<Set<string>> {
  if (contactIds.length === 0) return new Set();
  const rows = await db()
    .selectFrom('article_reads')
    .select('contact_id')
    .where('article_id', '=', articleId)
    .where('contact_id', 'in', contactIds)
    .execute();
  return new Set(rows.map((row) => row.contact_id));
}

interface Told {
  articleId: string;
  clientId: string | undefined;
  title: string;
  summary: string;
}

function newsMail(
  firm: Awaited<ReturnType<typeof firmOf>>,
  reader: Actor,
  { articleId, clientId, title, summary }: Told,
): Mail {
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'news');
  return firmMail({
    about: { kind: 'news', contactId: reader.contactId, clientId, targets: [aboutArticle(articleId)] },
    firm,
    to: reader.emailAddress,
    lang,
    title,
    text: [summary === '' ? t('mailText', { firm: firm.name }) : summary],
    button: {
      label: t('mailButton'),
      link: mailedPage(lang, `home/news/${articleId}`, { companyId: firm.companyId, clientId }),
    },
    reason: t('mailReason', { firm: firm.name }),
  });
}
