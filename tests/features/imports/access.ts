import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toStaffWithARight } from '../../authz/page-policy.ts';
import { filesForm } from '../../support/api.ts';

export const access: FeatureAccess = {
  rules: {
    // Nobody in the fixture manages clients: tests/features/imports tests those who do.
    'post /api/client-center/v1/imports': { who: 'nobody here' },
  },
  requests: {
    'post /api/client-center/v1/imports': [
      {
        ids: {},
        send: () => ({ query: { kind: 'clients' }, form: filesForm(['clients.csv', Buffer.from('a\n1\n')]) }),
      },
    ],
  },
  pages: {
    '/[base]/[lang]/staff/imports': toStaffWithARight,
    '/[base]/[lang]/staff/imports/[importId]': toStaffWithARight,
    '/[base]/[lang]/staff/imports/[importId]/problems.csv': toStaffWithARight,
    '/[base]/[lang]/staff/export/[file]': toStaffWithARight,
  },
  placeholders: { importId: 'import_0', file: 'clients.csv' },
};
