import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toStaffWithARight } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/staff/retention': toStaffWithARight,
  },
};
