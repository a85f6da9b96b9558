import type { Actor } from '#features/base/people/people.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { deleteTask } from '#features/tasks/tasks/removing.server.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import type { ClientKey, Thing } from '../../authz/policy.ts';
import { READ, unique } from '../../authz/request-fixtures.ts';
import { live, noIds, type WorldSoFar } from '../../authz/things.ts';

declare module '../../authz/things.ts' {
  interface Kinds {
    task: true;
    'task group': true;
  }
}

export const access: FeatureAccess = {
  rules: {
    'post /api/client-center/v3/tasks': {
      who: 'staff',
      sees: ['clientId'],
      changes: ['tasks', 'task_groups', 'task_steps'],
      ofClient: ['tasks', 'task_groups', 'task_steps', 'task_answers'],
    },
    'post /api/client-center/v3/tasks/{taskId}/tasks': {
      who: 'staff',
      sees: ['taskId'],
      changes: ['tasks', 'task_groups'],
      ofClient: ['tasks', 'task_groups', 'task_steps', 'task_answers'],
    },
    'get /api/client-center/v3/tasks/groups': { who: 'signed in' },
    'get /api/client-center/v3/tasks/groups/clients/{clientId}': { who: 'signed in', sees: ['clientId'] },
    'get /api/client-center/v3/tasks/groups/{taskGroupId}': { who: 'signed in', sees: ['taskGroupId'] },
    'get /api/client-center/v3/tasks/clients/{clientId}': { who: 'signed in', sees: ['clientId'] },
    'delete /api/client-center/v3/tasks/clients/{clientId}': {
      who: 'staff',
      sees: ['clientId'],
      changes: ['tasks', 'task_groups'],
      ofClient: ['tasks', 'task_groups', 'task_steps', 'task_answers'],
      trashes: true,
    },
    'get /api/client-center/v3/tasks/{taskId}': { who: 'signed in', sees: ['taskId'] },
    'patch /api/client-center/v3/tasks/{taskId}': {
      who: 'signed in',
      sees: ['taskId'],
      changes: ['tasks', 'task_groups', 'task_answers'],
      ofClient: ['tasks', 'task_groups', 'task_steps', 'task_answers'],
    },
    'patch /api/client-center/v3/tasks/{taskId}/steps/{stepNumber}': {
      who: 'signed in',
      sees: ['taskId'],
      changes: ['tasks', 'task_groups', 'task_steps', 'task_answers'],
      ofClient: ['tasks', 'task_groups', 'task_steps', 'task_answers'],
    },
    'delete /api/client-center/v3/tasks/{taskId}': {
      who: 'staff',
      sees: ['taskId'],
      changes: ['tasks', 'task_groups'],
      ofClient: ['tasks', 'task_groups', 'task_steps', 'task_answers'],
      trashes: true,
    },
  },
  requests: {
    'post /api/client-center/v3/tasks': [
      {
        ids: { clientId: 'client' },
        send: ({ clientId = '' }) => ({
          json: {
            clientId,
            type: 'misc',
            label: unique('Task'),
            order: 2,
            dueDate: '2030-01-31',
            expirationDate: '2030-02-28',
            params: { kind: 'upload', taxYear: 2029 },
            steps: [{ required: true }],
            sendNotification: false,
            tags: ['tag'],
            triggers: {},
          },
        }),
        named: ['data', 'form', 'taskGroupId'],
      },
    ],
    'post /api/client-center/v3/tasks/{taskId}/tasks': [
      {
        ids: { taskId: 'task' },
        send: () => ({ json: [{ type: 'misc', label: unique('Task') }] }),
        named: ['data', 'dueDate', 'expirationDate', 'order', 'params', 'sendNotification', 'steps', 'tags'],
      },
    ],
    'get /api/client-center/v3/tasks/groups': [{ ids: {}, send: () => ({ query: READ }) }],
    'get /api/client-center/v3/tasks/groups/clients/{clientId}': [
      { ids: { clientId: 'client' }, send: () => ({ query: READ }) },
    ],
    'get /api/client-center/v3/tasks/groups/{taskGroupId}': [
      { ids: { taskGroupId: 'task group' }, send: () => ({ query: READ }) },
    ],
    'get /api/client-center/v3/tasks/clients/{clientId}': [
      { ids: { clientId: 'client' }, send: () => ({ query: READ }) },
    ],
    'delete /api/client-center/v3/tasks/clients/{clientId}': [{ ids: { clientId: 'client' } }],
    'get /api/client-center/v3/tasks/{taskId}': [{ ids: { taskId: 'task' }, send: () => ({ query: READ }) }],
    'patch /api/client-center/v3/tasks/{taskId}': [
      {
        ids: { taskId: 'task' },
        send: () => ({ json: { comment: unique('Comment') } }),
        named: [
          'data',
          'dueDate',
          'doesNotApplyComment',
          'expirationDate',
          'label',
          'replace',
          'status',
          'triggers',
          'version',
        ],
      },
    ],
    'patch /api/client-center/v3/tasks/{taskId}/steps/{stepNumber}': [
      {
        ids: { taskId: 'task' },
        send: () => ({ json: { comment: unique('Comment'), dnaComment: '' } }),
        named: ['data', 'replace', 'version'],
      },
    ],
    'delete /api/client-center/v3/tasks/{taskId}': [{ ids: { taskId: 'task' }, named: ['delete'] }],
  },
  things: {
    kinds: { task: 'task', 'task group': 'taskgroup' },
    make: ({ staff, otherStaff, clients }) => makeTasks(staff, otherStaff, clients),
  },
  keys: { tasks: 'task_id', task_groups: 'group_id' },
  fuzz: {
    prepare: async ({ sam, clientA }) => {
      const task = await createTask(sam, {
        clientId: clientA,
        type: 'misc',
        label: 'Papers',
        steps: [{ required: false }],
      });
      return {
        known: {
          taskId: [task.taskId, 'task_none'],
          taskGroupId: [task.taskGroupId],
          stepNumber: ['1', '2'],
          taskStatuses: ['NEW,WIP', 'DONE'],
          taskGroupStatuses: ['NEW,WIP'],
        },
      };
    },
    notHere: {
      'GET /api/client-center/v3/tasks/{taskId}': 'other requests delete the task',
      'DELETE /api/client-center/v3/tasks/{taskId}': 'other requests delete the task',
      'POST /api/client-center/v3/tasks': 'types, dates and questions seldom fit by chance',
      'POST /api/client-center/v3/tasks/{taskId}/tasks': 'a list of anything is seldom a list of tasks',
      'PATCH /api/client-center/v3/tasks/{taskId}': 'versions, dates and statuses seldom fit by chance',
      'PATCH /api/client-center/v3/tasks/{taskId}/steps/{stepNumber}': 'versions seldom fit by chance',
    },
  },
};

/** A task with a step for each client, and a deleted one. */
async function makeTasks(
  staff: Actor,
  otherStaff: Actor,
  clients: WorldSoFar['clients'],
): Promise<Record<'task' | 'task group', Record<string, Thing>>> {
  const create = (actor: Actor, key: ClientKey) =>
    createTask(actor, {
      clientId: clients[key].id,
      type: 'misc',
      label: `Task of ${clients[key].papers.Folder.name}`,
      steps: [{ data: { text: clients[key].papers.Folder.name } }],
    });
  const things: Record<'task' | 'task group', Record<string, Thing>> = { task: {}, 'task group': {} };
  const made = {
    own: await create(staff, 'own'),
    sibling: await create(staff, 'sibling'),
    'staff only': await create(staff, 'staff only'),
    'other firm': await create(otherStaff, 'other firm'),
  };
  for (const [key, { taskId, taskGroupId }] of Object.entries(made)) {
    things.task[key] = live(taskId, key as ClientKey);
    things['task group'][key] = live(taskGroupId, key as ClientKey);
  }
  const gone = await create(staff, 'own');
  await deleteTask(staff, gone.taskId);
  things.task['deleted'] = { id: gone.taskId, state: 'deleted', client: 'own' };
  things['task group']['deleted'] = { id: gone.taskGroupId, state: 'deleted', client: 'own' };
  return {
    task: { ...things.task, ...noIds('task') },
    'task group': { ...things['task group'], ...noIds('taskgroup') },
  };
}
