import { contactsFor } from '#features/tasks/task-reminders/notices.server.ts';
import { taskDeleted } from '#features/tasks/tasks/events.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { taskMessageAdded, taskMessagesRead } from './events.server.ts';
import { answerTo } from './mails.server.ts';

/** What contacts are told of messages of the firm; staff have those of clients in their inbox. */
export const notificationKinds: Contributions['notifications'] = {
  'task-message': {
    push: 'messages',
    text: text('task-messages', 'notification'),
    icon: 'mail',
    page: ({ detail, clientId = '' }) => `tasks/clients/${clientId}/task/${detail}`,
    sources: [
      when(taskMessageAdded, async ({ companyId, clientId, taskId, title, byStaff }) =>
        byStaff
          ? {
              add: {
                companyId,
                clientId,
                contactIds: (await contactsFor({ companyId, clientId, taskId })).map(
                  ({ contactId }) => contactId,
                ),
                key: taskId,
                things: [{ target: answerTo(taskId), name: title, detail: taskId }],
              },
            }
          : undefined,
      ),
      when(taskMessagesRead, ({ taskId, contactId }) => ({ resolve: [answerTo(taskId)], contactId })),
      when(taskDeleted, ({ taskId }) => ({ resolve: [answerTo(taskId)] })),
    ],
  },
};
