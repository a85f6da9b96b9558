import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toSignedIn, toStaff } from '../../authz/page-policy.ts';
import { isStaff } from '../../authz/policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/partials/search': toSignedIn,
    // staff have theirs
    '/[base]/[lang]/search': (person) =>
      isStaff(person) ? { status: 303, to: 'staff/search' } : toSignedIn(person),
    '/[base]/[lang]/staff/search': toStaff,
    '/[base]/[lang]/profile/shortcuts': toStaff,
  },
  postedByReaders: ['/[base]/[lang]/profile/shortcuts'],
};
