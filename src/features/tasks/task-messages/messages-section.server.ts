import { recipientsOf } from '#features/clients/notice-recipients/recipients.server.ts';
import { threadPage } from '#features/clients/threads/thread-page.server.ts';
import { taskRow, visibleTypes } from '#features/tasks/tasks/scope.server.ts';
import {
  addTaskMessage,
  countTaskMessages,
  listTaskMessages,
  withdrawTaskMessage,
} from './messages.server.ts';
import { markMessagesRead, unreadOn } from './reading.server.ts';

type ThreadArguments = Parameters<typeof threadPage>;

/** The messages on a task, also on a deleted one for staff, with the form for another one. NOT_FOUND. */
export async function messagesSection(page: ThreadArguments[0], taskId: string, context: ThreadArguments[2]) {
  const { actor } = page.locals.session;
  const {
    deleted_at: deletedAt,
    client_id: clientId,
    type,
  } = await taskRow(actor, taskId, { withDeleted: true });
  const thread: ThreadArguments[1] = {
    isOpen: deletedAt === null,
    add: (text, isInternal) => addTaskMessage(actor, taskId, { text, isInternal }),
    withdraw: (messageId) => withdrawTaskMessage(actor, taskId, messageId),
    count: () => countTaskMessages(actor, taskId),
    list: async (from, total) =>
      (await listTaskMessages(actor, taskId, { from, withDeleted: true, total })).items,
    unread: () => unreadOn(actor, taskId),
    markRead: () => markMessagesRead(actor, taskId),
    recipients: async () =>
      actor.staff
        ? await recipientsOf(actor, clientId, {
            kind: 'comment',
            maySee: (reader) => visibleTypes(reader).includes(type),
          })
        : undefined,
  };
  return threadPage(page, thread, context);
}
