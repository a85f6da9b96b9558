import type { Actor } from '#features/base/people/people.ts';
import { mayWithdraw } from '#features/base/people/withdrawing.server.ts';
import { lockTask, taskRow } from '#features/tasks/tasks/scope.server.ts';
import { titleForFirm } from '#features/tasks/tasks/titles.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import { recordDone } from '#platform/mail/mail-log.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import type { Selectable } from 'kysely';
import { taskMessageAdded, taskMessageWithdrawn } from './events.server.ts';
import { answerTo, scheduleMessageMail } from './mails.server.ts';
import { messagesOf } from './scope.server.ts';
import { presentMessage } from '#features/clients/threads/messages.server.ts';
import {
  messagePage,
  MESSAGES_A_PAGE,
  newMessage,
  type MessageQuery,
  type NewMessage,
} from '#features/clients/threads/threads.ts';
import type { TaskMessage, TaskMessagePage } from './task-messages.ts';

/*
 * The conversation between the people of a client and the firm about a task. It is part of the records: after 15
 * minutes a message stays as long as its task, and one that is withdrawn before leaves its place
 * (docs/decisions/0070).
 */

const MAX_AN_HOUR = 60;

/**
 * Adds a message to a task, in any of its states, and notifies the other side unless it is a note of the firm.
 * NOT_FOUND for a task that the actor may not see, FORBIDDEN for a note of a contact, TOO_MANY beyond 60 an hour.
 */
export async function addTaskMessage(actor: Actor, taskId: string, input: NewMessage): Promise<TaskMessage> {
  const { text, isInternal } = newMessage.parse(input);
  await taskRow(actor, taskId);
  if (isInternal && !actor.staff) throw new PortalError('FORBIDDEN');
  await consume(`task-messages:${actor.contactId}`, MAX_AN_HOUR, HOUR);
  return inTransaction(async () => {
    const task = await lockTask(actor, taskId);
    const { client_id: clientId } = task;
    const messageId = newId('message');
    const row = {
      message_id: messageId,
      company_id: actor.companyId,
      task_id: taskId,
      number: (await newestNumber(taskId)) + 1,
      body: encryptFor('task_messages.body', messageId, text),
      is_internal: isInternal ? 1 : 0,
      by_staff: actor.staff ? 1 : 0,
      created_by: actor.contactId,
      created_at: now(),
      withdrawn_at: null,
    } as const;
    await db().insertInto('task_messages').values(row).execute();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: isInternal ? 'task-message.add-note' : 'task-message.add',
      target: taskId,
      clientId,
    });
    if (!isInternal) {
      await recordDone([answerTo(taskId)], actor.contactId);
      await taskMessageAdded.announce({
        messageId,
        companyId: actor.companyId,
        clientId,
        taskId,
        title: await titleForFirm(task),
        byStaff: actor.staff,
      });
      await scheduleMessageMail(row);
    }
    return present(actor, { ...row, full_name: actor.fullName });
  });
}

async function newestNumber(taskId: string): Promise<number> {
  const { newest } = await db()
    .selectFrom('task_messages')
    .select((e) => e.fn.max('number').as('newest'))
    .where('task_id', '=', taskId)
    .executeTakeFirstOrThrow();
  return Number(newest ?? 0);
}

/**
 * Lists the messages on a task, the oldest first, 100 a page; NOT_FOUND for one that the actor may not see. With
 * `withDeleted`, staff also get those on a deleted task. Counts them unless it gets their number.
 */
export async function listTaskMessages(
  actor: Actor,
  taskId: string,
  { from, withDeleted = false, ...counted }: MessageQuery & { withDeleted?: boolean; total?: number },
): Promise<TaskMessagePage> {
  await taskRow(actor, taskId, { withDeleted });
  const total = counted.total ?? (await countTaskMessages(actor, taskId));
  const rows = await messagesOf(actor, { withDeleted })
    .innerJoin('contacts', 'contacts.contact_id', 'task_messages.created_by')
    .selectAll('task_messages')
    .select('contacts.full_name')
    .where('task_messages.task_id', '=', taskId)
    .orderBy('task_messages.number')
    .limit(MESSAGES_A_PAGE)
    .offset(from)
    .execute();
  return messagePage(
    rows.map((row) => present(actor, row)),
    { from, total },
  );
}

/** How many messages on a task the actor sees, also on a deleted one. */
export async function countTaskMessages(actor: Actor, taskId: string): Promise<number> {
  const { total } = await messagesOf(actor, { withDeleted: true })
    .select((e) => e.fn.countAll<number>().as('total'))
    .where('task_messages.task_id', '=', taskId)
    .executeTakeFirstOrThrow();
  return Number(total);
}

/**
 * Withdraws a message: its text is removed, its place stays. NOT_FOUND unless the actor wrote it, FORBIDDEN after 15
 * minutes: then it is part of the records.
 */
export async function withdrawTaskMessage(actor: Actor, taskId: string, messageId: string): Promise<void> {
  await inTransaction(async () => {
    const { client_id: clientId } = await lockTask(actor, taskId);
    const row = await messagesOf(actor)
      .selectAll('task_messages')
      .where('task_messages.task_id', '=', taskId)
      .where('task_messages.message_id', '=', messageId)
      .where('task_messages.created_by', '=', actor.contactId)
      .where('task_messages.withdrawn_at', 'is', null)
      .executeTakeFirst();
    if (!row) throw notFound();
    if (!mayWithdraw(actor, row)) throw new PortalError('FORBIDDEN');
    await db()
      .updateTable('task_messages')
      .set({ body: null, withdrawn_at: now() })
      .where('message_id', '=', messageId)
      .execute();
    await taskMessageWithdrawn.announce({ messageId });
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: row.is_internal ? 'task-message.withdraw-note' : 'task-message.withdraw',
      target: taskId,
      clientId,
    });
  });
}

type MessageRow = Selectable<Tables['task_messages']> & { full_name: string };

const present = (actor: Actor, row: MessageRow): TaskMessage => ({
  ...presentMessage(
    actor,
    row,
    row.body === null ? '' : decryptFrom('task_messages.body', row.message_id, row.body),
  ),
  taskId: row.task_id,
});
