import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toSignedInWithId, toStaff } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/staff/practice': toStaff,
    // nobody of the fixture is in a practice firm
    '/[base]/[lang]/practice': toSignedInWithId,
  },
  postedByReaders: ['/[base]/[lang]/staff/practice', '/[base]/[lang]/practice'],
};
