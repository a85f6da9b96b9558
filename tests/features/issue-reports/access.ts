import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toManagers, toSignedIn, toSignedInWithId } from '../../authz/page-policy.ts';

const pageError = {
  specversion: '1.0',
  type: 'exception',
  source: '/clientcenter/en-us/documents',
  id: 'a1b2c-d3e4f',
  time: '2026-11-26T01:00:00.000Z',
  contenttype: 'application/json',
  data: { module: 'kit.js', message: 'TypeError', stack: '/_astro/kit.js:1:1' },
};

export const access: FeatureAccess = {
  rules: {
    'post /api/logging/v1/log': { who: 'anyone', changes: ['limits'] },
    // only for the caller's own address: tests/features/issue-reports/reports.test.ts
    'post /api/notifications/v1/notifications/category/CCVNEXT/type/CLIENT_CENTER_ISSUE_CONFIRMATION': {
      forReaders: true,
      who: 'nobody here',
    },
  },
  requests: {
    'post /api/logging/v1/log': [{ ids: {}, send: () => ({ json: { version: 1, items: [pageError] } }) }],
    'post /api/notifications/v1/notifications/category/CCVNEXT/type/CLIENT_CENTER_ISSUE_CONFIRMATION': [
      {
        ids: {},
        send: () => ({
          json: { recipient: 'stranger@elsewhere.example', variables: { referenceCode: 'k7m2p-9xw4t' } },
        }),
      },
    ],
  },
  pages: {
    '/[base]/[lang]/help/report': toSignedIn,
    '/[base]/[lang]/help/report/[code]': toSignedInWithId,
    '/[base]/[lang]/help/chat': toSignedInWithId,
    '/[base]/[lang]/staff/issues': toManagers,
    '/[base]/[lang]/staff/issues/[code]': toManagers,
  },
  postedByReaders: ['/[base]/[lang]/help/report'],
  placeholders: { code: 'k7m2p-9xw4t' },
  fuzz: {
    notHere: {
      'POST /api/logging/v1/log': 'places in scripts and reference codes seldom fit by chance',
      'POST /api/notifications/v1/notifications/category/CCVNEXT/type/CLIENT_CENTER_ISSUE_CONFIRMATION':
        'the address of the caller and a code of their own seldom fit by chance',
    },
  },
};
