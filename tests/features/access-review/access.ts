import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toStaffWithARight } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/staff/access-review': toStaffWithARight,
    '/[base]/[lang]/staff/access-review/[reviewId]': toStaffWithARight,
    '/[base]/[lang]/staff/access-review/[reviewId]/review.csv': toStaffWithARight,
  },
  placeholders: { reviewId: 'review_00000000000000000000000000000000' },
};
