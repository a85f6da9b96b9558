import {
  taskChangedByFirm,
  taskCreated,
  taskDeleted,
  taskNotApplicable,
  taskSubmitted,
  type FirmChange,
} from '#features/tasks/tasks/events.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import type { IconName } from '#ui/icons.ts';
import type { Text } from '#platform/text/texts.ts';
import { answerTo, contactsFor } from './notices.server.ts';

type Kind = Extract<Contributions['notifications'][string], { page: unknown }>;

interface Task {
  taskId: string;
  companyId: string;
  clientId: string;
  title: string;
}

const page: Kind['page'] = ({ detail, clientId = '' }) => `tasks/clients/${clientId}/task/${detail}`;

const tell = ({ taskId, companyId, clientId, title }: Task, readers: readonly { contactId: string }[]) => ({
  add: {
    companyId,
    clientId,
    contactIds: readers.map(({ contactId }) => contactId),
    key: taskId,
    things: [{ target: answerTo(taskId), name: title, detail: taskId }],
  },
});

const end = ({ taskId }: { taskId: string }) => ({ resolve: [answerTo(taskId)] });

/** What the firm does next with a task ends what was told before; another date does not. */
const endUnlessMoved = ({ change, taskId }: { change: FirmChange; taskId: string }) =>
  change === 'rescheduled' ? undefined : end({ taskId });

/** The task no longer waits for the client. */
const answered = [when(taskSubmitted, end), when(taskNotApplicable, end), when(taskDeleted, end)];

/** What the firm did with a task; what it does next with it ends that. */
const changed = (change: FirmChange, label: Text, icon: IconName, isPushed = false): Kind => ({
  ...(isPushed && { push: 'tasks' }),
  text: label,
  icon,
  page,
  sources: [
    when(taskChangedByFirm, change === 'rescheduled' ? end : endUnlessMoved),
    when(taskChangedByFirm, async (task) =>
      task.change === change ? tell(task, await contactsFor(task)) : undefined,
    ),
    ...answered,
  ],
});

/** What contacts are told of tasks. */
export const notificationKinds: Contributions['notifications'] = {
  'task-new': {
    push: 'tasks',
    text: text('notifications', 'taskNew'),
    icon: 'clipboard-list',
    page,
    sources: [
      when(taskCreated, async (task) => (task.isAnnounced ? tell(task, await contactsFor(task)) : undefined)),
      when(taskChangedByFirm, endUnlessMoved),
      ...answered,
    ],
  },
  'task-returned': changed('returned', text('notifications', 'taskReturned'), 'alert-triangle', true),
  'task-reopened': changed('reopened', text('notifications', 'taskReopened'), 'clipboard-list'),
  'task-accepted': changed('accepted', text('notifications', 'taskAccepted'), 'circle-check'),
  'task-cancelled': changed('cancelled', text('notifications', 'taskCancelled'), 'x'),
  'task-rescheduled': changed('rescheduled', text('notifications', 'taskRescheduled'), 'calendar'),
  'task-reminder': { icon: 'clock', push: 'tasks', ofMails: ['task-reminder'], isOnlyLatest: true },
};
