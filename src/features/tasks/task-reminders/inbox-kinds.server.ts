import type { Contributions } from '#platform/runtime/feature.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { taskNotApplicable, taskSettled, taskSubmitted } from '#features/tasks/tasks/events.server.ts';
import { toStaffTask } from '#features/tasks/tasks/inbox-kinds.server.ts';
import { taskUnanswered } from './events.server.ts';

const unanswered = (taskId: string): string => `unanswered-${taskId}`;

const answered = ({ taskId }: { taskId: string }) => ({ resolve: [unanswered(taskId)] });

export const inboxKinds: Contributions['inbox'] = {
  'task-unanswered': {
    icon: 'clock',
    step: 'remind',
    text: text('inbox', 'taskUnanswered'),
    next: toStaffTask,
    sources: [
      when(taskUnanswered, ({ taskId, companyId, clientId, title: name }) => ({
        add: { companyId, clientId, key: taskId, target: unanswered(taskId), name },
      })),
      when(taskSubmitted, answered),
      when(taskNotApplicable, answered),
      when(taskSettled, answered),
    ],
  },
};
