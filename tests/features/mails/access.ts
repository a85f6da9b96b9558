import type { FeatureAccess } from '../../authz/feature-access.ts';
import { over, toEverybody, toSignedIn, toStaff, toStaffWithId } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  rules: {
    'get /api/staff/v1/grids/mails': { who: 'staff' },
    'get /api/staff/v1/grids/mails/export': { who: 'staff' },
  },
  requests: {
    'get /api/staff/v1/grids/mails': [{ ids: {} }],
    'get /api/staff/v1/grids/mails/export': [{ ids: {} }],
  },
  pages: {
    '/[base]/[lang]/profile/notifications': toSignedIn,
    '/[base]/[lang]/profile/phrase': toSignedIn,
    '/[base]/[lang]/check': toEverybody,
    '/[base]/[lang]/unsubscribe/[token]': () => over,
    '/[base]/[lang]/staff/mails': toStaff,
    '/[base]/[lang]/staff/mails/[id]': toStaffWithId,
    '/[base]/[lang]/staff/mails/[id]/letter': toStaffWithId,
  },
  postedByReaders: [
    '/[base]/[lang]/profile/notifications',
    '/[base]/[lang]/profile/phrase',
    '/[base]/[lang]/check',
    '/[base]/[lang]/unsubscribe/[token]',
  ],
};
