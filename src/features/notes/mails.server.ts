import { firmOf } from '#features/firms/firms.server.ts';
import type { Firm } from '#features/firms/firms.ts';
import { readersOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { HOUR } from '#platform/clock.server.ts';
import { config } from '#platform/config.server.ts';
import { newId } from '#platform/crypto.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { handle } from '#platform/jobs.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/languages.ts';
import { firmMail } from '#platform/mail-layout.server.ts';
import { queueMail, type Mail } from '#platform/mail.server.ts';
import { noteTold, tellSoon, toldUpTo } from '#platform/notices.server.ts';
import { wordsFor } from '#platform/words.server.ts';

/*
 * The other side is told of comments: the firm of those of the client's people, the client's people of those of the firm, each in their
 * language, at most once an hour for a document. What was written never stands in a mail, for a mail is not sealed.
 */

interface Commented {
  company_id: string;
  document_id: string;
  by_staff: 0 | 1;
}

const keyOf = ({ document_id, by_staff }: Commented): string => `comments:${document_id}:${by_staff}`;

/** Lets the other side be told of a comment. */
export const tellOfComment = ({ company_id, document_id, by_staff }: Commented): Promise<void> =>
  tellSoon({ kind: 'comments', key: keyOf({ company_id, document_id, by_staff }), payload: { company_id, document_id, by_staff } satisfies Commented, companyId: company_id, pause: HOUR });

handle('comments', (payload) => inTransaction(() => tellOthers(payload as Commented)));

async function tellOthers(commented: Commented): Promise<void> {
  const key = keyOf(commented);
  const fresh = await db()
    .selectFrom('comments')
    .innerJoin('documents', 'documents.document_id', 'comments.document_id')
    .where('comments.document_id', '=', commented.document_id)
    .where('comments.by_staff', '=', commented.by_staff)
    .where('comments.created_at', '>', await toldUpTo(key))
    .where('documents.deleted_at', 'is', null)
    .select(['documents.name', 'documents.client_id', 'comments.created_at'])
    .orderBy('comments.created_at', 'desc')
    .executeTakeFirst();
  if (!fresh) return; // taken back meanwhile, or the document was deleted
  await noteTold(key, fresh.created_at);
  const firm = await firmOf(commented.company_id);
  for (const reader of await readersOf(commented.company_id, fresh.client_id, commented.by_staff ? 'contacts' : 'staff')) await queueMail(commentMail(firm, reader, { id: commented.document_id, name: fresh.name }), newId('notice'));
}

function commentMail(firm: Firm, reader: Actor, document: { id: string; name: string }): Mail {
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const t = wordsFor(lang, 'notes');
  const title = t('mailTitle', { name: document.name });
  const line = t('mailText');
  return firmMail({
    firm,
    to: reader.emailAddress,
    lang,
    title,
    text: [line],
    button: { label: t('mailButton'), link: `${config.origin}/${config.base}/${lang}/documents/${document.id}/comments` },
    reason: reader.staff ? t('mailReasonStaff') : t('mailReason', { firm: firm.name }),
  });
}
