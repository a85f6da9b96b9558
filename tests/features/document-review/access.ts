import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toWriters } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  rules: {
    // No task of the fixture is a review: tests/features/document-review/document-reviews.test.ts tests one.
    'post /api/client-center/v3/tasks/{taskId}/versions': { who: 'staff', answers: [404] },
  },
  requests: {
    'post /api/client-center/v3/tasks/{taskId}/versions': [
      {
        ids: { taskId: 'task' },
        send: () => {
          const form = new FormData();
          form.append('submission', '1');
          form.append('version:review.document-1', 'doc_none');
          return { form };
        },
      },
    ],
  },
  pages: {
    '/[base]/[lang]/staff/tasks/review': toWriters,
  },
  fuzz: {
    notHere: {
      'POST /api/client-center/v3/tasks/{taskId}/versions': 'no document was reviewed',
    },
  },
};
