import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toStaff } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/staff/settings': toStaff,
  },
};
