import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toEverybody, toSignedIn } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: { '/[base]/[lang]/offline': toEverybody, '/[base]/[lang]/profile/offline': toSignedIn },
  postedByReaders: ['/[base]/[lang]/offline'],
};
