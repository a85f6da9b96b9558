import type { Actor } from '#features/base/people/people.ts';
import { addTaskMessage } from '#features/tasks/task-messages/messages.server.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import type { ClientKey, Person, Thing } from '../../authz/policy.ts';
import { unique } from '../../authz/request-fixtures.ts';
import { noIds } from '../../authz/things.ts';

declare module '../../authz/things.ts' {
  interface Kinds {
    message: true;
  }
}

export const access: FeatureAccess = {
  rules: {
    'get /api/client-center/v3/tasks/{taskId}/messages': { who: 'signed in', sees: ['taskId'] },
    'post /api/client-center/v3/tasks/{taskId}/messages': {
      who: 'signed in',
      sees: ['taskId'],
      changes: ['task_messages', 'jobs', 'limits', 'notices'],
      updates: ['notices'],
    },
    // One's own only, not even for staff.
    'delete /api/client-center/v3/tasks/{taskId}/messages/{messageId}': {
      who: 'signed in',
      sees: ['taskId', 'messageId'],
      within: ['messageId', 'taskId'],
      changes: ['task_messages'],
      trashes: true,
    },
  },
  requests: {
    'get /api/client-center/v3/tasks/{taskId}/messages': [{ ids: { taskId: 'task' }, named: ['from'] }],
    'post /api/client-center/v3/tasks/{taskId}/messages': [
      {
        ids: { taskId: 'task' },
        send: () => ({ json: { text: unique('A message') } }),
        named: ['isInternal'],
      },
    ],
    'delete /api/client-center/v3/tasks/{taskId}/messages/{messageId}': [
      { ids: { taskId: 'task', messageId: 'message' } },
    ],
  },
  things: {
    kinds: { message: 'message' },
    make: async ({ authors, things }) => ({ message: await makeMessages(authors, things.task) }),
  },
  keys: { task_messages: 'message_id' },
  fuzz: {
    prepare: async ({ ada, known }) => {
      const { id } = await addTaskMessage(ada, known['taskId']?.[0] ?? '', { text: 'Fine' });
      return { known: { messageId: [id] } };
    },
    notHere: {
      'GET /api/client-center/v3/tasks/{taskId}/messages': 'other requests delete the task',
      'POST /api/client-center/v3/tasks/{taskId}/messages': 'other requests delete the task',
      'DELETE /api/client-center/v3/tasks/{taskId}/messages/{messageId}': 'other requests delete the task',
    },
  },
};

/** Messages on tasks, which only their authors can withdraw: that of staff is a note of the firm. */
async function makeMessages(
  authors: Partial<Record<Person, Actor>>,
  tasks: Record<string, Thing>,
): Promise<Record<string, Thing>> {
  const on: Partial<Record<Person, ClientKey>> = {
    'a sibling contact': 'sibling',
    'a contact of the other firm': 'other firm',
  };
  const things: Record<string, Thing> = {};
  for (const [author, actor] of Object.entries(authors) as [Person, Actor][]) {
    const task = tasks[on[author] ?? 'own'];
    if (!task) throw new Error(`There is no task for ${author}.`);
    const { id } = await addTaskMessage(actor, task.id, {
      text: 'Is this complete?',
      isInternal: actor.staff,
    });
    things[`of ${author}`] = { id, state: 'live', seenBy: [author], parent: task.id };
  }
  return { ...things, ...noIds('message') };
}
