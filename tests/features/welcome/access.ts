import type { FeatureAccess } from '../../authz/feature-access.ts';
import { isStaff } from '../../authz/policy.ts';
import { toSignedIn } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  pages: {
    // staff have their inbox
    '/[base]/[lang]/home/first-steps': (person) =>
      isStaff(person) ? { status: 303, to: 'staff' } : toSignedIn(person),
  },
  inMissingSections: ['/[base]/[lang]/home/first-steps'],
};
