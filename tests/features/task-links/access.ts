import type { FeatureAccess } from '../../authz/feature-access.ts';
import { nowhere, toSignedInWithId } from '../../authz/page-policy.ts';
import { filesForm } from '../../support/api.ts';

export const access: FeatureAccess = {
  rules: {
    'post /api/client-center/v3/task-links/{token}': { who: 'holder of a link that is not here' },
    // the fixture has none: tests/features/task-links/proposed-files.test.ts tests those who have one
    'get /api/client-center/v3/tasks/{taskId}/proposed-files/{fileId}': {
      who: 'signed in',
      answers: [404],
      succeeds: 404,
    },
  },
  requests: {
    'post /api/client-center/v3/task-links/{token}': [
      { ids: { token: 'link' }, send: () => ({ form: filesForm(['file.pdf', 'file']) }) },
    ],
    'get /api/client-center/v3/tasks/{taskId}/proposed-files/{fileId}': [
      { ids: { taskId: 'task', fileId: 'any document' } },
    ],
  },
  pages: {
    '/[base]/[lang]/tasks/clients/[clientId]/task/[taskId]/ask': toSignedInWithId,
    '/[base]/[lang]/tasks/clients/[clientId]/task/[taskId]/phone': toSignedInWithId,
    '/[base]/[lang]/task-link/[token]': () => nowhere,
  },
  postedByReaders: ['/[base]/[lang]/task-link/[token]'],
  inMissingSections: [
    '/[base]/[lang]/tasks/clients/[clientId]/task/[taskId]/ask',
    '/[base]/[lang]/tasks/clients/[clientId]/task/[taskId]/phone',
  ],
  fuzz: {
    notHere: {
      'GET /api/client-center/v3/tasks/{taskId}/proposed-files/{fileId}': 'nobody was asked for a file',
      'POST /api/client-center/v3/task-links/{token}': 'nobody was asked about a task',
    },
  },
};
