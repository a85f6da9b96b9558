import { z } from 'zod';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { canAccessPortal, type Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction, lockRows } from '#platform/database/database.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { reminderMail, type Change, type RemindedTask } from './reminder-mail.server.ts';
import { reminderTimesOf } from './reminder-settings.server.ts';
import { toldTasks } from './told-tasks.server.ts';

const payloadSchema = z.strictObject({ digestId: z.string() });

/**
 * The job that mails a reminder. It reads the tasks again: what was submitted meanwhile is left out, and if nothing is
 * left, nothing is sent. It may run again, for the key of the mail is that of the reminder.
 */
export const sendDigest = (payload: unknown): Promise<void> =>
  inTransaction(() => send(payloadSchema.parse(payload).digestId));

async function send(digestId: string): Promise<void> {
  const digest = await db()
    .selectFrom('task_digests')
    .selectAll()
    .where('digest_id', '=', digestId)
    .modifyEnd(lockRows)
    .executeTakeFirst();
  if (!digest || digest.mail_id !== null) return;
  const reader = await actorOf(digest.contact_id);
  const times = (await reminderTimesOf([digest.contact_id])).get(digest.contact_id);
  if (!times || !canAccessPortal(reader)) return;
  const today = dayOf(now(), times.timeZone);
  const tasks = await remindedTasks(digestId, reader);
  const changes = await takeChanges(reader);
  if (tasks.length === 0 && !changes.some(({ kind }) => kind !== 'accepted')) return;
  const firm = await firmOf(digest.company_id);
  const mail = reminderMail(firm, reader, { today, tasks, changes });
  const { kind } = await queueMail(mail, `task-digest:${digestId}`);
  if (kind === 'turned-off' || kind === 'read') return;
  await db()
    .updateTable('task_digests')
    .set({ mail_id: mail.mailId })
    .where('digest_id', '=', digestId)
    .execute();
  const noticeIds = changes.map(({ noticeId }) => noticeId);
  if (noticeIds.length > 0)
    await db()
      .updateTable('task_notices')
      .set({ told_at: now(), mail_id: mail.mailId })
      .where('notice_id', 'in', noticeIds)
      .execute();
}

/** The open tasks of a reminder that its reader may see now: those that are due first come first. */
async function remindedTasks(digestId: string, reader: Actor): Promise<RemindedTask[]> {
  const rows = await db()
    .selectFrom('task_reminders')
    .leftJoin('task_promises', (join) =>
      join
        .onRef('task_promises.task_id', '=', 'task_reminders.task_id')
        .onRef('task_promises.contact_id', '=', 'task_reminders.contact_id'),
    )
    .select(['task_reminders.task_id', 'task_reminders.milestone', 'task_promises.promised_on'])
    .where('task_reminders.digest_id', '=', digestId)
    .execute();
  const broken = new Map(
    rows
      .filter(({ milestone }) => milestone.startsWith('promise:'))
      .map((row) => [row.task_id, row.promised_on ?? undefined]),
  );
  const told = await toldTasks(
    reader,
    rows.map((row) => row.task_id),
  );
  return [...told.values()]
    .filter(({ isOpen }) => isOpen)
    .map((task) => ({ ...task, brokenPromise: broken.get(task.taskId) }));
}

/** What the firm changed and the reader was not told, as it is now. What no longer holds is marked as told. */
async function takeChanges(reader: Actor): Promise<Change[]> {
  const waiting = await db()
    .selectFrom('task_notices')
    .select(['notice_id', 'task_id', 'kind'])
    .where('contact_id', '=', reader.contactId)
    .where('kind', 'in', ['reopened', 'cancelled', 'rescheduled', 'accepted'])
    .where('told_at', 'is', null)
    .orderBy('created_at')
    .execute();
  const told = await toldTasks(
    reader,
    waiting.map((row) => row.task_id),
  );
  const changes = waiting.flatMap(({ notice_id: noticeId, task_id: taskId, kind }): Change[] => {
    const task = told.get(taskId);
    const holds =
      task &&
      (kind === 'cancelled'
        ? task.status === 'Cancelled'
        : kind === 'accepted'
          ? task.status === 'Done'
          : task.isOpen);
    if (
      !holds ||
      (kind !== 'reopened' && kind !== 'cancelled' && kind !== 'rescheduled' && kind !== 'accepted')
    )
      return [];
    return [{ noticeId, kind, task }];
  });
  const isCurrent = new Set(changes.map(({ noticeId }) => noticeId));
  const outdated = waiting.map((row) => row.notice_id).filter((id) => !isCurrent.has(id));
  if (outdated.length > 0)
    await db()
      .updateTable('task_notices')
      .set({ told_at: now() })
      .where('notice_id', 'in', outdated)
      .execute();
  return changes;
}
