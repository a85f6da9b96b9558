import type { FeatureAccess } from '../../authz/feature-access.ts';

export const access: FeatureAccess = {
  rules: {
    // Nothing is submitted in the fixture: tests/features/task-submissions/submission-files.test.ts tests what is.
    'get /api/client-center/v3/tasks/{taskId}/submission': { who: 'staff', answers: [404] },
    'get /api/client-center/v3/tasks/{taskId}/submission.pdf': { who: 'signed in', answers: [404] },
  },
  requests: {
    'get /api/client-center/v3/tasks/{taskId}/submission': [
      { ids: { taskId: 'task' }, send: () => ({ query: { language: 'en-us' } }) },
    ],
    'get /api/client-center/v3/tasks/{taskId}/submission.pdf': [
      { ids: { taskId: 'task' }, send: () => ({ query: { language: 'en-us' } }) },
    ],
  },
  fuzz: {
    notHere: {
      'GET /api/client-center/v3/tasks/{taskId}/submission': 'nothing was submitted',
      'GET /api/client-center/v3/tasks/{taskId}/submission.pdf': 'nothing was submitted',
    },
  },
};
