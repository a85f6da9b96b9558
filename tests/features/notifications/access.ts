import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toSignedIn, toSignedInWithId } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/partials/bell': toSignedIn,
    '/[base]/[lang]/notifications': toSignedIn,
    // no notification has the id of the fixture
    '/[base]/[lang]/notifications/[id]': toSignedInWithId,
  },
  postedByReaders: ['/[base]/[lang]/notifications', '/[base]/[lang]/notifications/[id]'],
};
