import type { Contributions } from '#platform/runtime/feature.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { taskNotApplicable, taskSettled, taskSubmitted } from './events.server.ts';

type Kind = Contributions['inbox'][string];

export const toStaffTask: Kind['next'] = ({ key }, pathTo) => pathTo(`staff/tasks/${key}`);

export const inboxKinds: Contributions['inbox'] = {
  task: {
    icon: 'clipboard-list',
    step: 'review',
    text: text('inbox', 'task'),
    next: toStaffTask,
    sources: [
      when(taskSubmitted, ({ taskId, companyId, clientId, title: name }) => ({
        add: { companyId, clientId, key: taskId, target: taskId, name },
      })),
      when(taskSettled, ({ taskId }) => ({ resolve: [taskId] })),
    ],
  },
  'task-not-applicable': {
    icon: 'clipboard-list',
    step: 'review',
    text: text('inbox', 'taskNotApplicable'),
    next: toStaffTask,
    sources: [
      when(taskNotApplicable, ({ taskId, companyId, clientId, title: name, reason: detail }) => ({
        add: { companyId, clientId, key: taskId, target: taskId, name, detail },
      })),
    ],
  },
};
