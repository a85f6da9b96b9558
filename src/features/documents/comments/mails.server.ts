import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Firm } from '#features/base/firms/firms.ts';
import { readersOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import { queueMail, type Mail } from '#platform/mail/mail.server.ts';
import { markNotified, scheduleNotification, notifiedUpTo } from '#platform/mail/notices.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/*
 * Comments are announced to the other side: those of the client's people to the firm and vice versa, in each
 * recipient's language, at most once an hour per document. The text is never in a mail, since mails are not
 * encrypted.
 */

interface Commented {
  company_id: string;
  document_id: string;
  by_staff: 0 | 1;
}

/** What a mail about comments is about: it is done when its reader has answered. */
export const answerTo = (documentId: string): string => `answer:${documentId}`;

const keyOf = ({ document_id, by_staff }: Commented): string => `comments:${document_id}:${by_staff}`;

/** Schedules the mail about a comment to the other side. */
export const tellOfComment = ({ company_id, document_id, by_staff }: Commented): Promise<void> =>
  scheduleNotification({
    kind: 'comments',
    key: keyOf({ company_id, document_id, by_staff }),
    payload: { company_id, document_id, by_staff } satisfies Commented,
    companyId: company_id,
    pause: HOUR,
  });

/** The job that {@link tellOfComment} schedules. */
export const sendCommentMails = (payload: unknown): Promise<void> =>
  inTransaction(() => tellOthers(payload as Commented));

async function tellOthers(commented: Commented): Promise<void> {
  const key = keyOf(commented);
  const fresh = await db()
    .selectFrom('comments')
    .innerJoin('documents', 'documents.document_id', 'comments.document_id')
    .where('comments.document_id', '=', commented.document_id)
    .where('comments.by_staff', '=', commented.by_staff)
    .where('comments.created_at', '>', await notifiedUpTo(key))
    .where('documents.deleted_at', 'is', null)
    .innerJoin('clients', 'clients.client_id', 'documents.client_id')
    .select(['documents.name', 'documents.client_id', 'clients.name as client_name', 'comments.created_at'])
    .orderBy('comments.created_at', 'desc')
    .executeTakeFirst();
  if (!fresh) return; // withdrawn meanwhile, or the document was deleted
  await markNotified(key, fresh.created_at);
  const firm = await firmOf(commented.company_id);
  const document = {
    id: commented.document_id,
    name: fresh.name,
    clientId: fresh.client_id,
    client: fresh.client_name,
  };
  const readers = await readersOf(
    commented.company_id,
    fresh.client_id,
    commented.by_staff ? 'contacts' : 'staff',
  );
  for (const reader of readers) await queueMail(commentMail(firm, reader, document), newId('notice'));
}

function commentMail(
  firm: Firm,
  reader: Actor,
  document: { id: string; name: string; clientId: string; client: string },
): Mail {
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'notes');
  const title = t('mailTitle', { name: document.name });
  const line = t('mailText', { client: document.client });
  return firmMail({
    about: {
      kind: 'comment',
      contactId: reader.contactId,
      clientId: document.clientId,
      targets: [answerTo(document.id)],
    },
    firm,
    to: reader.emailAddress,
    lang,
    title,
    text: [line],
    button: {
      label: t('mailButton'),
      link: mailedPage(lang, `documents/${document.id}/comments`, {
        companyId: firm.companyId,
        clientId: document.clientId,
      }),
    },
    reason: reader.staff ? t('mailReasonStaff', { firm: firm.name }) : t('mailReason', { firm: firm.name }),
  });
}
