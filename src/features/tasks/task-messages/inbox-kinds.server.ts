import type { Contributions } from '#platform/runtime/feature.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { taskMessageAdded, taskMessagesHandled, taskMessageWithdrawn } from './events.server.ts';

export const inboxKinds: Contributions['inbox'] = {
  'task-message': {
    icon: 'message-square',
    step: 'reply',
    text: text('task-messages', 'inbox'),
    next: ({ key }, pathTo) => `${pathTo(`staff/tasks/${key}`)}#messages`,
    sources: [
      when(
        taskMessageAdded,
        ({ messageId: target, taskId: key, title: name, byStaff, companyId, clientId }) =>
          byStaff
            ? { resolveGroup: { companyId, key } }
            : { add: { companyId, clientId, key, target, name } },
      ),
      when(taskMessagesHandled, ({ companyId, taskId: key }) => ({ resolveGroup: { companyId, key } })),
      when(taskMessageWithdrawn, ({ messageId }) => ({ resolve: [messageId] })),
    ],
  },
};
