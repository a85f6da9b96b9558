import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toManagers } from '../../authz/page-policy.ts';
import { filesForm } from '../../support/api.ts';

export const access: FeatureAccess = {
  rules: {
    'post /api/client-center/v1/seals/verifications': { who: 'anyone', changes: ['limits'] },
  },
  requests: {
    'post /api/client-center/v1/seals/verifications': [
      { ids: {}, send: () => ({ form: filesForm(['letter.pdf', Buffer.from('%PDF-1.7')]) }) },
    ],
  },
  pages: {
    '/[base]/[lang]/staff/seal': toManagers,
  },
  postedByReaders: ['/api/client-center/v1/seals/verifications'], // the page that checks a file posts there
};
