import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toSignedIn } from '../../authz/page-policy.ts';
import { unique } from '../../authz/request-fixtures.ts';

export const access: FeatureAccess = {
  rules: {
    'get /api/profile/v1/users/current': { who: 'signed in' },
    'put /api/profile/v1/users/current': {
      forReaders: true,
      who: 'signed in',
      updates: ['users', 'contacts'],
    },
    'put /api/profile/v1/users/{prismGuid}/language': {
      forReaders: true,
      who: 'signed in',
      sees: ['prismGuid'],
      updates: ['users'],
    },
    'get /api/profile/v1/contacts': { who: 'signed in', sees: ['companyId', 'contactId'] },
  },
  requests: {
    'get /api/profile/v1/users/current': [{ ids: {} }],
    // Everybody gets a name without a canary, so that later reads contain only their own.
    'put /api/profile/v1/users/current': [
      {
        ids: {},
        send: () => ({
          json: {
            prefix: '',
            firstName: unique('Robin'),
            middleName: '',
            lastName: 'Doe',
            suffix: '',
            language: 'fr-CA',
          },
        }),
      },
    ],
    'put /api/profile/v1/users/{prismGuid}/language': [
      { ids: { prismGuid: 'user' }, send: () => ({ json: { language: 'pt-BR' } }) },
    ],
    'get /api/profile/v1/contacts': [
      {
        ids: { companyId: 'company', contactId: 'contact' },
        send: ({ companyId = '', contactId = '' }) => ({ query: { companyId, contactId } }),
      },
    ],
  },
  pages: {
    '/[base]/[lang]/profile': toSignedIn,
  },
  postedByReaders: ['/[base]/[lang]/profile'],
};
