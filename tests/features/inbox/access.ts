import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toStaff, toStaffWithId } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/staff/inbox': toStaff,
    '/[base]/[lang]/staff/inbox/[id]': toStaffWithId,
  },
};
