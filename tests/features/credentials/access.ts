import type { FeatureAccess } from '../../authz/feature-access.ts';
import { over } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/auth/email/[token]': () => over,
  },
  postedByReaders: ['/[base]/[lang]/auth/email/[token]'],
};
