import type { FeatureAccess } from '../../authz/feature-access.ts';
import { unique } from '../../authz/request-fixtures.ts';

export const access: FeatureAccess = {
  rules: {
    // what somebody else has changed meanwhile is kept, as after the calls before this one
    'post /api/client-center/v3/tasks/{taskId}/answers': {
      who: 'contacts',
      sees: ['taskId'],
      changes: ['tasks', 'task_groups', 'task_answers', 'task_kept_answers'],
      ofClient: ['tasks', 'task_groups', 'task_steps', 'task_answers', 'task_kept_answers'],
    },
    // The tasks of the fixture look nothing up: tests/features/task-answers/lookups.test.ts tests one that does.
    'get /api/client-center/v3/tasks/{taskId}/lookups/{list}': { who: 'signed in', answers: [404] },
    // The tasks of the fixture ask nothing: tests/features/tasks/answering.test.ts tests those that do.
    'post /api/client-center/v3/tasks/{taskId}/sections/{section}': { who: 'signed in', answers: [404] },
  },
  requests: {
    'get /api/client-center/v3/tasks/{taskId}/lookups/{list}': [
      { ids: { taskId: 'task' }, path: { list: 'countries' } },
    ],
    'post /api/client-center/v3/tasks/{taskId}/answers': [
      {
        ids: { taskId: 'task' },
        send: () => ({
          json: {
            tab: 'tabOfTheTests',
            language: 'en-us',
            changes: [{ path: '#comment', value: unique('Comment'), base: 0, sequence: 1 }],
          },
        }),
      },
    ],
    'post /api/client-center/v3/tasks/{taskId}/sections/{section}': [
      {
        ids: { taskId: 'task' },
        path: { section: 'request' },
        send: () => {
          const form = new FormData();
          form.append('request.item-1', 'An answer');
          return { form };
        },
      },
    ],
  },
  fuzz: {
    prepare: () => Promise.resolve({ known: { section: ['request'], tab: ['tabOfTheTests'] } }),
    notHere: {
      'GET /api/client-center/v3/tasks/{taskId}/lookups/{list}': 'no task with questions was made',
      'POST /api/client-center/v3/tasks/{taskId}/answers': 'no task with questions was made',
      'POST /api/client-center/v3/tasks/{taskId}/sections/{section}': 'no task with questions was made',
    },
  },
};
