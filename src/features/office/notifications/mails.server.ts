import type { QueuedMail } from '#platform/mail/mail-events.server.ts';
import { db, inBatches } from '#platform/database/database.server.ts';
import { isOptional } from '#platform/mail/mail-kinds.server.ts';
import type { ChangedMail } from '#platform/mail/mail-log.server.ts';
import type { Mail } from '#platform/mail/mail.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { raiseAttention } from '#features/office/live/attention.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { kindOfMail, notificationKind } from './contributions.server.ts';
import { addNotifications, cancelHeldMails } from './rows.server.ts';

/*
 * Emails and notifications say the same. An email of a kind that a feature names in `ofMails` makes a notification; one
 * whose notifications were all read is not sent; and who follows the link of an email has read what it says.
 */

/** What notifications of an email are about: what the email is about, else the email itself. */
const targetsOf = ({ mailId, about: { targets = [] } }: Mail): readonly string[] =>
  targets.length > 0 ? targets : [mailId];

/** Makes the notification of an email that is being queued, and stops the email if its reader knows what it says. */
export async function compareWithMail({ mail, key, stop }: QueuedMail): Promise<void> {
  const { contactId, kind } = mail.about;
  if (contactId === undefined) return;
  await notifyOfMail(mail, key, contactId);
  if (!isOptional(kind)) return;
  const said = await saidTo(contactId, mail);
  if (said.length > 0 && said.every((row) => row.read_at !== null || row.is_open === 0)) stop();
}

async function notifyOfMail(mail: Mail, key: string, contactId: string): Promise<void> {
  const { companyId, about } = mail;
  const kind = about.notification ?? kindOfMail(about.kind);
  const link = mail.content?.button.link;
  if (kind === undefined || companyId === undefined || link === undefined) return;
  const known = notificationKind(kind);
  if (!known || !('ofMails' in known)) return;
  if (known.isForContacts && (await actorOf(contactId)).staff) return;
  if (known.isOnlyLatest) await endAll(kind, contactId);
  await addNotifications(kind, {
    companyId,
    clientId: about.clientId ?? null,
    contactIds: [contactId],
    key,
    things: targetsOf(mail).map((target) => ({ target, name: mail.subject, detail: pageOfLink(link) })),
  });
}

/** Marks as read what a person was told of a kind. */
const endAll = (kind: string, contactId: string): Promise<unknown> =>
  db()
    .updateTable('notifications')
    .set({ read_at: now() })
    .where('contact_id', '=', contactId)
    .where('kind', '=', kind)
    .where('read_at', 'is', null)
    .execute();

/** The page of a link in an email, without its language and firm. */
function pageOfLink(link: string): string {
  const { pathname, searchParams } = new URL(link);
  searchParams.delete('firm');
  const query = searchParams.size > 0 ? `?${searchParams}` : '';
  return pathname.split('/').slice(3).join('/') + query;
}

/** The notifications of a person about what an email is about. */
async function saidTo(contactId: string, mail: Mail) {
  const rows = [];
  for (const some of inBatches(targetsOf(mail)))
    rows.push(
      ...(await db()
        .selectFrom('notification_targets')
        .innerJoin('notifications', 'notifications.notification_id', 'notification_targets.notification_id')
        .select(['notifications.notification_id', 'notifications.read_at', 'notification_targets.is_open'])
        .where('notification_targets.target', 'in', some)
        .where('notifications.contact_id', '=', contactId)
        .execute()),
    );
  return rows;
}

/** Notes which notifications say what a queued email says. */
export async function linkMail({ mail }: { mail: Mail }): Promise<void> {
  const { contactId } = mail.about;
  if (contactId === undefined) return;
  const unread = (await saidTo(contactId, mail)).filter((row) => row.read_at === null);
  const ids = [...new Set(unread.map((row) => row.notification_id))];
  if (ids.length === 0) return;
  await db()
    .insertInto('notification_mails')
    .values(ids.map((id) => ({ notification_id: id, mail_id: mail.mailId })))
    .execute();
}

/** Who follows the link of an email has read what it says. */
export async function readByMail({ mailId, state }: ChangedMail): Promise<void> {
  if (state !== 'opened') return;
  const read = await db()
    .updateTable('notifications')
    .set({ read_at: now() })
    .where('read_at', 'is', null)
    .where('notification_id', 'in', (e) =>
      e.selectFrom('notification_mails').select('notification_id').where('mail_id', '=', mailId),
    )
    .returning('contact_id')
    .execute();
  const readers = [...new Set(read.map((row) => row.contact_id))];
  for (const contactId of readers) await cancelHeldMails(contactId);
  await raiseAttention(readers);
}
