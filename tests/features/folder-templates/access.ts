import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toWriters } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/staff/templates': toWriters,
  },
};
