import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toSignedIn } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: { '/[base]/[lang]/profile/reading': toSignedIn },
  postedByReaders: ['/[base]/[lang]/profile/reading'],
};
