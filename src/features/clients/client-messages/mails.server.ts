import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Firm } from '#features/base/firms/firms.ts';
import { readersOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import { queueMail, type Mail } from '#platform/mail/mail.server.ts';
import { markNotified, notifiedUpTo, scheduleNotification } from '#platform/mail/notices.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { seesMessages } from './scope.server.ts';

/*
 * The other side is notified of messages in each recipient's language, at most once an hour for each client, and only
 * those who have not read them yet. The text is never in a mail, since mails are not encrypted. Nobody is notified of
 * internal notes.
 */

interface Notified {
  company_id: string;
  client_id: string;
  by_staff: 0 | 1;
}

/** What a mail about messages is about: it is done when its reader has answered. */
export const answerTo = (clientId: string): string => `answer:${clientId}`;

const keyOf = ({ client_id, by_staff }: Notified): string => `client-messages:${client_id}:${by_staff}`;

/** Schedules the mail that notifies the other side of a message. */
export const scheduleMessageMail = ({ company_id, client_id, by_staff }: Notified): Promise<void> =>
  scheduleNotification({
    kind: 'client-messages',
    key: keyOf({ company_id, client_id, by_staff }),
    payload: { company_id, client_id, by_staff } satisfies Notified,
    companyId: company_id,
    pause: HOUR,
  });

/** The job that {@link scheduleMessageMail} schedules. */
export const sendMessageMails = (payload: unknown): Promise<void> =>
  inTransaction(() => notifyOthers(payload as Notified));

/** Who is told of a message about a client. */
export const readersToNotify = async (
  companyId: string,
  clientId: string,
  side: 'staff' | 'contacts',
): Promise<Actor[]> => (await readersOf(companyId, clientId, side)).filter(seesMessages);

async function notifyOthers(notified: Notified): Promise<void> {
  const { company_id: companyId, client_id: clientId, by_staff: byStaff } = notified;
  const key = keyOf(notified);
  const newest = await db()
    .selectFrom('client_messages')
    .innerJoin('clients', 'clients.client_id', 'client_messages.client_id')
    .select(['client_messages.created_at', 'clients.name'])
    .where('client_messages.client_id', '=', clientId)
    .where('client_messages.by_staff', '=', byStaff)
    .where('client_messages.is_internal', '=', 0)
    .where('client_messages.withdrawn_at', 'is', null)
    .where('client_messages.created_at', '>', await notifiedUpTo(key))
    .where('clients.archived_at', 'is', null)
    .orderBy('client_messages.created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!newest) return; // withdrawn meanwhile, or the client was archived or merged
  await markNotified(key, newest.created_at);
  const firm = await firmOf(companyId);
  const haveRead = await readersUpTo(clientId, newest.created_at);
  for (const reader of await readersToNotify(companyId, clientId, byStaff ? 'contacts' : 'staff'))
    if (!haveRead.has(reader.contactId))
      await queueMail(messageMail(firm, reader, { id: clientId, name: newest.name }), newId('notice'));
}

async function readersUpTo(clientId: string, createdAt: number): Promise<Set<string>> {
  const rows = await db()
    .selectFrom('client_message_reads')
    .select('contact_id')
    .where('client_id', '=', clientId)
    .where('read_to', '>=', createdAt)
    .execute();
  return new Set(rows.map(({ contact_id: id }) => id));
}

function messageMail(firm: Firm, reader: Actor, client: { id: string; name: string }): Mail {
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'client-messages');
  const page = reader.staff ? `staff/clients/${client.id}/messages` : 'messages';
  const link = mailedPage(lang, page, { companyId: firm.companyId, clientId: client.id });
  return firmMail({
    about: {
      kind: 'comment',
      contactId: reader.contactId,
      clientId: client.id,
      targets: [answerTo(client.id)],
    },
    firm,
    to: reader.emailAddress,
    lang,
    title: t('mailTitle', { from: reader.staff ? client.name : firm.name }),
    text: [t(reader.staff ? 'mailTextStaff' : 'mailText', { client: client.name, firm: firm.name })],
    button: { label: t('mailButton'), link: `${link}#messages` },
    reason: t(reader.staff ? 'mailReasonStaff' : 'mailReason', { firm: firm.name, client: client.name }),
  });
}
