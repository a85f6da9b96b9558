import type { FeatureAccess } from '../../authz/feature-access.ts';
import { backHome, toSignedIn, toStaffWithARight } from '../../authz/page-policy.ts';
import { isStaff } from '../../authz/policy.ts';

export const access: FeatureAccess = {
  rules: {
    'post /api/security/v1/view-as': { who: 'nobody here' },
    'delete /api/security/v1/view-as': { forReaders: true, who: 'signed in' },
    'get /api/staff/v1/grids/audit': { who: 'nobody here' },
    'get /api/staff/v1/grids/audit/export': { who: 'nobody here' },
  },
  requests: {
    'post /api/security/v1/view-as': [
      {
        ids: {},
        send: () => ({ json: { contactId: `contact_${'0'.repeat(32)}`, reason: 'They asked me to look.' } }),
      },
    ],
    'delete /api/security/v1/view-as': [{ ids: {} }],
    'get /api/staff/v1/grids/audit': [{ ids: {} }],
    'get /api/staff/v1/grids/audit/export': [{ ids: {} }],
  },
  pages: {
    '/[base]/[lang]/profile/activity': toSignedIn,
    '/[base]/[lang]/staff/view-as/[id]': toStaffWithARight,
    '/[base]/[lang]/staff/view-as/end': (person) =>
      isStaff(person) ? { status: 303, to: 'staff' } : backHome(person),
    '/[base]/[lang]/staff/view-as/read-only': backHome,
    '/[base]/[lang]/staff/audit': toStaffWithARight,
  },
  postedByReaders: [
    '/[base]/[lang]/profile/activity',
    '/[base]/[lang]/staff/view-as/[id]',
    '/[base]/[lang]/staff/view-as/end',
  ],
  fuzz: {
    notHere: {
      'POST /api/security/v1/view-as': 'the callers of this test have no stored session',
    },
  },
};
