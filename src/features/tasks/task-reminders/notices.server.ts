import { actorOf, readersOf } from '#features/base/people/people.server.ts';
import { canAccessPortal, type Actor } from '#features/base/people/people.ts';
import type { FirmChange } from '#features/tasks/tasks/events.server.ts';
import { taskRow, visibleTypes } from '#features/tasks/tasks/scope.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { returnReason } from '#features/tasks/tasks/return-reasons.server.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { deliveryOf, gatheringEnd } from '#platform/mail/mail-delivery.server.ts';
import { recordDone } from '#platform/mail/mail-log.server.ts';
import { queueMail, type Mail } from '#platform/mail/mail.server.ts';
import { postponeNotification, scheduleNotification } from '#platform/mail/notices.server.ts';
import { newTasksMail, returnedMail, submittedMail } from './mails.server.ts';
import type { NoticeKind } from './schema.server.ts';
import { toldTasks, type ToldTask } from './told-tasks.server.ts';

/*
 * What people are told about tasks by email. New tasks, and what clients submit, gather for ten minutes for each
 * reader and firm; a returned task is told right away; other changes wait for the contact's next reminder. All wait for
 * the end of the reader's quiet hours, and are read again before they are mailed.
 */

/** For how long notices gather. */
const GATHERING = 10 * MINUTE;

/** Kinds that have mails of their own; the others are part of reminders (digests.server.ts). */
type MailedKind = 'new' | 'returned' | 'submitted';
const MAILED_AS: Partial<Record<NoticeKind, MailedKind>> = {
  new: 'new',
  returned: 'returned',
  submitted: 'submitted',
  'not-applicable': 'submitted',
};
const KINDS_IN: Record<MailedKind, readonly NoticeKind[]> = {
  new: ['new'],
  returned: ['returned'],
  submitted: ['submitted', 'not-applicable'],
};

interface Subject {
  taskId: string;
  companyId: string;
  clientId: string;
}

/** What mails about a task are about: they are done when the client has answered. */
export const answerTo = (taskId: string): string => `task:${taskId}`;

/** Announces a new task to the contacts of its client. */
export async function announceTask(task: Subject & { isAnnounced: boolean }): Promise<void> {
  if (task.isAnnounced) await notify(task, 'new', await contactsFor(task));
}

/** Tells contacts what the firm did with a task; nothing about one that they have not heard of. */
export async function tellOfChange(task: Subject & { change: FirmChange }): Promise<void> {
  const { taskId, change } = task;
  const readers = await contactsWhoKnow(task);
  await withdrawNotices(taskId, WITHDRAWN_BY[change]);
  return notify(task, change, readers);
}

/** The notices that no longer hold once the firm has done this. */
const WITHDRAWN_BY: Record<FirmChange, readonly NoticeKind[]> = {
  returned: ['returned', 'reopened', 'accepted', 'cancelled'],
  reopened: ['returned', 'reopened', 'accepted', 'cancelled'],
  accepted: ['returned', 'reopened', 'accepted', 'cancelled'],
  cancelled: ['new', 'returned', 'reopened', 'rescheduled'],
  rescheduled: ['rescheduled'],
};

/** The contacts who want to know of a change: of one that is canceled or moved, those who have heard of it. */
async function contactsWhoKnow(task: Subject & { change: FirmChange }): Promise<Actor[]> {
  const readers = await contactsFor(task);
  if (task.change !== 'cancelled' && task.change !== 'rescheduled') return readers;
  const informed = await informedOf(task.taskId);
  return readers.filter(({ contactId }) => informed.has(contactId));
}

/** Tells the firm that a client submitted a task, or says that it does not apply. */
export async function tellOfAnswer(task: Subject, kind: 'submitted' | 'not-applicable'): Promise<void> {
  await recordDone([answerTo(task.taskId)]);
  await notify(task, kind, await readersOf(task.companyId, task.clientId, 'staff'));
}

/** The contacts who may see a task. */
export async function contactsFor({ taskId, companyId, clientId }: Subject): Promise<Actor[]> {
  const { type } = await db()
    .selectFrom('tasks')
    .select('type')
    .where('task_id', '=', taskId)
    .executeTakeFirstOrThrow();
  const readers = await readersOf(companyId, clientId, 'contacts');
  return readers.filter((reader) => visibleTypes(reader).includes(type));
}

/** Removes what was not told yet, because it no longer holds. */
const withdrawNotices = (taskId: string, kinds: readonly NoticeKind[]): Promise<unknown> =>
  db()
    .deleteFrom('task_notices')
    .where('task_id', '=', taskId)
    .where('kind', 'in', kinds)
    .where('told_at', 'is', null)
    .execute();

/** The contacts who got an email about a task. */
async function informedOf(taskId: string): Promise<Set<string>> {
  const told = await db()
    .selectFrom('task_notices')
    .select('contact_id')
    .where('task_id', '=', taskId)
    .where('mail_id', 'is not', null)
    .union(db().selectFrom('task_reminders').select('contact_id').where('task_id', '=', taskId))
    .execute();
  return new Set(told.map(({ contact_id: id }) => id));
}

async function notify(task: Subject, kind: NoticeKind, readers: readonly Actor[]): Promise<void> {
  if (readers.length === 0) return;
  await db()
    .insertInto('task_notices')
    .values(
      readers.map(({ contactId }) => ({
        notice_id: newId('tasknotice'),
        company_id: task.companyId,
        contact_id: contactId,
        task_id: task.taskId,
        kind,
        created_at: now(),
        told_at: null,
        mail_id: null,
      })),
    )
    .execute();
  const mailedAs = MAILED_AS[kind];
  if (mailedAs === undefined) return;
  const gathering = mailedAs === 'returned' ? 0 : GATHERING;
  for (const { contactId } of readers)
    await scheduleNotification({
      ...noticeFor(task.companyId, { contactId, mailedAs }),
      quiet: gathering,
      pause: gathering,
    });
}

interface Payload {
  contactId: string;
  mailedAs: MailedKind;
}

const noticeFor = (companyId: string, payload: Payload) => ({
  kind: 'task-notices',
  key: `task-notices:${payload.mailedAs}:${payload.contactId}`,
  payload,
  companyId,
});

/** The job that mails what has gathered for a reader, or waits for the end of their quiet hours. */
export const sendNotices = (payload: unknown): Promise<void> =>
  inTransaction(() => sendGathered(payload as Payload));

async function sendGathered({ contactId, mailedAs }: Payload): Promise<void> {
  const waiting = await db()
    .selectFrom('task_notices')
    .selectAll()
    .where('contact_id', '=', contactId)
    .where('kind', 'in', KINDS_IN[mailedAs])
    .where('told_at', 'is', null)
    .orderBy('created_at')
    .execute();
  const companyId = waiting[0]?.company_id;
  if (companyId === undefined) return;
  const delivery = await deliveryOf({ kind: 'task', contactId });
  const due = delivery.kind === 'held' ? gatheringEnd(delivery) : now();
  if (due > now()) return postponeNotification(noticeFor(companyId, { contactId, mailedAs }), due);
  const reader = await actorOf(contactId);
  const isReader = delivery.kind !== 'turned-off' && canAccessPortal(reader);
  const told = isReader
    ? await toldTasks(
        reader,
        waiting.map((notice) => notice.task_id),
      )
    : new Map<string, ToldTask>();
  const current = [...told.values()].filter((task) =>
    waiting.some(({ task_id: taskId, kind }) => taskId === task.taskId && holds(kind, task)),
  );
  const mails = await mailsFor(reader, mailedAs, current);
  for (const { mail, taskIds } of mails) {
    const { kind } = await queueMail(mail, newId('tasknews'));
    if (kind === 'turned-off' || kind === 'read') continue;
    const notices = waiting.filter((notice) => taskIds.includes(notice.task_id));
    await markTold(
      notices.map((notice) => notice.notice_id),
      mail.mailId,
    );
  }
  await markTold(
    waiting.map((notice) => notice.notice_id),
    null,
  );
}

/**
 * Whether what a notice says is still so: what waited for the client waits, and the firm has not accepted, returned or
 * canceled what a client submitted.
 */
function holds(kind: NoticeKind, { isOpen, status, isAcceptedByFirm }: ToldTask): boolean {
  if (kind === 'not-applicable') return status === 'Cancelled';
  if (kind === 'submitted') return status === 'Received' || (status === 'Done' && !isAcceptedByFirm);
  return isOpen;
}

/** Marks notices as told by a mail, or with null those that are left as out of date. */
async function markTold(noticeIds: readonly string[], mailId: string | null): Promise<void> {
  if (noticeIds.length === 0) return;
  await db()
    .updateTable('task_notices')
    .set({ told_at: now(), mail_id: mailId })
    .where('notice_id', 'in', noticeIds)
    .where('told_at', 'is', null)
    .execute();
}

/** The mails about these tasks, as they are now: one, or one for each that was returned, with its reason. */
async function mailsFor(
  reader: Actor,
  mailedAs: MailedKind,
  tasks: readonly ToldTask[],
): Promise<{ mail: Mail; taskIds: string[] }[]> {
  const firm = await firmOf(reader.companyId);
  if (mailedAs === 'returned') {
    const mails = [];
    for (const task of tasks) {
      const reason = await returnReason(await taskRow(reader, task.taskId));
      if (reason !== undefined)
        mails.push({ mail: returnedMail(firm, reader, task, reason), taskIds: [task.taskId] });
    }
    return mails;
  }
  if (tasks.length === 0) return [];
  const mail = mailedAs === 'new' ? newTasksMail(firm, reader, tasks) : submittedMail(firm, reader, tasks);
  return [{ mail, taskIds: tasks.map(({ taskId }) => taskId) }];
}
