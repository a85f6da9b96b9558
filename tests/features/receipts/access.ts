import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toEverybody, toSignedIn, toSignedInWithId } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/receipts': toSignedIn,
    '/[base]/[lang]/receipts/[number]': toSignedInWithId,
    '/[base]/[lang]/verify': toEverybody,
  },
  postedByReaders: ['/[base]/[lang]/verify'],
};
