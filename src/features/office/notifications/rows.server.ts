import type { ExpressionBuilder } from 'kysely';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { recordCanceled } from '#platform/mail/mail-log.server.ts';
import { notificationsAdded } from './events.server.ts';
import { raiseAttention } from '#features/office/live/attention.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';

/** Something that people are told. */
export interface NewNotification {
  companyId: string;
  clientId: string | null;
  contactIds: readonly string[];
  /** What has the same key is one row until it is read. */
  key: string;
  things: readonly Thing[];
}

/** A document, task … that a notification is about. */
interface Thing {
  /** Its id, as `recordDone` and emails name it. */
  target: string;
  name: string;
  /** What else its text or link says. */
  detail?: string;
}

/** Adds notifications, in the transaction in which the thing happens. */
export async function addNotifications(kind: string, news: NewNotification): Promise<void> {
  if (news.contactIds.length === 0 || news.things.length === 0) return;
  await inTransaction(async () => {
    const at = now();
    const added = await addRows(kind, news, at);
    const targets = added.flatMap(({ notificationId: id }) =>
      news.things.map((thing) => targetRow(id, thing)),
    );
    for (const some of inBatches(targets))
      await db()
        .insertInto('notification_targets')
        .values(some)
        .onConflict((conflict) =>
          conflict.columns(['notification_id', 'target']).doUpdateSet((e) => ({
            is_open: 1,
            name: e.ref('excluded.name'),
            detail: e.ref('excluded.detail'),
          })),
        )
        .execute();
    await raiseAttention(news.contactIds);
    await notificationsAdded.announce({ kind, companyId: news.companyId, at, added });
  });
}

/** Adds a row for each person, or to the one that they have not read yet. */
async function addRows(kind: string, news: NewNotification, instant: number) {
  const rows = await db()
    .insertInto('notifications')
    .values(
      [...new Set(news.contactIds)].map((contactId) => ({
        notification_id: newId('notification'),
        company_id: news.companyId,
        contact_id: contactId,
        client_id: news.clientId,
        kind,
        group_key: news.key,
        count: news.things.length,
        created_at: instant,
        changed_at: instant,
        read_at: null,
        put_away_at: null,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['contact_id', 'kind', 'group_key'])
        .where('read_at', 'is', null)
        .doUpdateSet((e) => ({
          count: e('notifications.count', '+', e.ref('excluded.count')),
          changed_at: instant,
        })),
    )
    .returning(['notification_id', 'contact_id'])
    .execute();
  return rows.map((row) => ({ notificationId: row.notification_id, contactId: row.contact_id }));
}

const targetRow = (id: string, { target, name, detail = '' }: Thing) => ({
  notification_id: id,
  target,
  name: encryptFor('notification_targets.name', `${id}/${target}`, name),
  detail: encryptFor('notification_targets.detail', `${id}/${target}`, detail),
  is_open: 1 as const,
});

/** Whose notifications, and of which kind; by default of all. */
interface Whose {
  kind?: string;
  contactId?: string | undefined;
}

/**
 * Records that what notifications are about is no longer so. One about several things counts those that are left; with
 * the last of them it is read, and the email that waits to say the same is canceled.
 */
export async function resolveNotifications(targets: readonly string[], whose: Whose = {}): Promise<void> {
  for (const some of inBatches(targets)) {
    const open = await openAmong(some, whose);
    if (open.length > 0) await inTransaction(() => closeAll(open));
  }
}

interface OpenTarget {
  notification_id: string;
  target: string;
}

const openAmong = (targets: readonly string[], { kind, contactId }: Whose): Promise<OpenTarget[]> =>
  db()
    .selectFrom('notification_targets')
    .innerJoin('notifications', 'notifications.notification_id', 'notification_targets.notification_id')
    .select(['notification_targets.notification_id', 'notification_targets.target'])
    .where('notification_targets.target', 'in', targets)
    .where('notification_targets.is_open', '=', 1)
    .where('notifications.read_at', 'is', null)
    .$if(kind !== undefined, (rows) => rows.where('notifications.kind', '=', kind ?? ''))
    .$if(contactId !== undefined, (rows) => rows.where('notifications.contact_id', '=', contactId ?? ''))
    .execute();

async function closeAll(open: readonly OpenTarget[]): Promise<void> {
  for (const [id, rows] of Map.groupBy(open, (row) => row.notification_id)) {
    const closed = await db()
      .updateTable('notification_targets')
      .set({ is_open: 0 })
      .where('notification_id', '=', id)
      .where(
        'target',
        'in',
        rows.map(({ target }) => target),
      )
      .where('is_open', '=', 1)
      .returning('target')
      .execute();
    await subtract(id, closed.length);
  }
}

/** Takes what is no longer so from a notification. */
async function subtract(id: string, count: number): Promise<void> {
  const open = await db()
    .selectFrom('notification_targets')
    .select('target')
    .where('notification_id', '=', id)
    .where('is_open', '=', 1)
    .limit(1)
    .executeTakeFirst();
  const row = db().updateTable('notifications').where('notification_id', '=', id);
  if (open) {
    await row.set((e) => ({ count: e('count', '-', count) })).execute();
    return;
  }
  const read = await row
    .set({ read_at: now() })
    .where('read_at', 'is', null)
    .returning('contact_id')
    .executeTakeFirst();
  if (!read) return;
  await cancelHeldMails(read.contact_id);
  await raiseAttention([read.contact_id]);
}

/** Cancels the emails that wait to tell a person only what they have read. */
export async function cancelHeldMails(contactId: string): Promise<void> {
  const waiting = await db()
    .selectFrom('mails')
    .select('mails.mail_key')
    .where('mails.contact_id', '=', contactId)
    .where('mails.held_until', 'is not', null)
    .where('mails.state', '=', 'queued')
    .where((e) => e.exists(saidBy(e)))
    .where((e) => e.not(e.exists(saidBy(e).where('notifications.read_at', 'is', null))))
    .execute();
  await recordCanceled(waiting.map((row) => row.mail_key));
}

const saidBy = (e: ExpressionBuilder<Tables, 'mails'>) =>
  e
    .selectFrom('notification_mails')
    .innerJoin('notifications', 'notifications.notification_id', 'notification_mails.notification_id')
    .select('notification_mails.mail_id')
    .whereRef('notification_mails.mail_id', '=', 'mails.mail_id');
