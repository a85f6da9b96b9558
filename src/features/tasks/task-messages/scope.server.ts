import type { Actor } from '#features/base/people/people.ts';
import { tasksOf } from '#features/tasks/tasks/scope.server.ts';

/**
 * The messages that the actor may see: on the tasks that they may see, and for contacts without the notes of the firm,
 * also while staff view as one of them.
 */
export const messagesOf = (actor: Actor, options: { withDeleted?: boolean } = {}) =>
  tasksOf(actor, options)
    .innerJoin('task_messages', 'task_messages.task_id', 'tasks.task_id')
    .$if(!actor.staff, (messages) => messages.where('task_messages.is_internal', '=', 0));
