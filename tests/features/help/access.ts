import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toEverybody, toNobody } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/help': toEverybody,
    // no article has the id of the fixture
    '/[base]/[lang]/help/[id]': toNobody,
  },
  postedByReaders: ['/[base]/[lang]/help', '/[base]/[lang]/help/[id]'],
};
