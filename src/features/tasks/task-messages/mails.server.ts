import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Firm } from '#features/base/firms/firms.ts';
import { readersOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { contactsFor } from '#features/tasks/task-reminders/notices.server.ts';
import { toldTasks, type ToldTask } from '#features/tasks/task-reminders/told-tasks.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import { queueMail, type Mail } from '#platform/mail/mail.server.ts';
import { markNotified, notifiedUpTo, scheduleNotification } from '#platform/mail/notices.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/*
 * The other side is notified of messages on a task as of comments on a document: in each recipient's language, at most
 * once an hour per task, and only those who have not read them yet. The text is never in a mail, since mails are not
 * encrypted. Nobody is notified of internal notes.
 */

interface Notified {
  company_id: string;
  task_id: string;
  by_staff: 0 | 1;
}

/** What a mail about messages is about: it is done when its reader has answered. */
export const answerTo = (taskId: string): string => `answer:${taskId}`;

const keyOf = ({ task_id, by_staff }: Notified): string => `task-messages:${task_id}:${by_staff}`;

/** Schedules the mail that notifies the other side of a message. */
export const scheduleMessageMail = ({ company_id, task_id, by_staff }: Notified): Promise<void> =>
  scheduleNotification({
    kind: 'task-messages',
    key: keyOf({ company_id, task_id, by_staff }),
    payload: { company_id, task_id, by_staff } satisfies Notified,
    companyId: company_id,
    pause: HOUR,
  });

/** The job that {@link scheduleMessageMail} schedules. */
export const sendMessageMails = (payload: unknown): Promise<void> =>
  inTransaction(() => notifyOthers(payload as Notified));

async function notifyOthers(notified: Notified): Promise<void> {
  const { company_id: companyId, task_id: taskId, by_staff: byStaff } = notified;
  const key = keyOf(notified);
  const newest = await db()
    .selectFrom('task_messages')
    .innerJoin('tasks', 'tasks.task_id', 'task_messages.task_id')
    .select(['task_messages.number', 'task_messages.created_at', 'tasks.client_id'])
    .where('task_messages.task_id', '=', taskId)
    .where('task_messages.by_staff', '=', byStaff)
    .where('task_messages.is_internal', '=', 0)
    .where('task_messages.withdrawn_at', 'is', null)
    .where('task_messages.created_at', '>', await notifiedUpTo(key))
    .where('tasks.deleted_at', 'is', null)
    .orderBy('task_messages.number', 'desc')
    .executeTakeFirst();
  if (!newest) return; // withdrawn meanwhile, or the task was deleted
  await markNotified(key, newest.created_at);
  const { client_id: clientId } = newest;
  const firm = await firmOf(companyId);
  const readers = byStaff
    ? await contactsFor({ taskId, companyId, clientId })
    : await readersOf(companyId, clientId, 'staff');
  const haveRead = await readersUpTo(taskId, newest.number);
  for (const reader of readers.filter(({ contactId }) => !haveRead.has(contactId))) {
    const task = (await toldTasks(reader, [taskId])).get(taskId);
    if (task) await queueMail(messageMail(firm, reader, task), newId('notice'));
  }
}

async function readersUpTo(taskId: string, number: number): Promise<Set<string>> {
  const rows = await db()
    .selectFrom('task_reads')
    .select('contact_id')
    .where('task_id', '=', taskId)
    .where('read_number', '>=', number)
    .execute();
  return new Set(rows.map(({ contact_id: id }) => id));
}

function messageMail(firm: Firm, reader: Actor, { taskId, clientId, client, title }: ToldTask): Mail {
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'task-messages');
  const page = reader.staff ? `staff/tasks/${taskId}` : `tasks/clients/${clientId}/task/${taskId}`;
  return firmMail({
    about: { kind: 'comment', contactId: reader.contactId, clientId, targets: [answerTo(taskId)] },
    firm,
    to: reader.emailAddress,
    lang,
    title: t('mailTitle', { task: title }),
    text: [t('mailText', { client })],
    button: {
      label: t('mailButton'),
      link: `${mailedPage(lang, page, { companyId: firm.companyId, clientId })}#messages`,
    },
    reason: reader.staff ? t('mailReasonStaff', { firm: firm.name }) : t('mailReason', { firm: firm.name }),
  });
}
