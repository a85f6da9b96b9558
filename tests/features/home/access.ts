import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toManagers, toSignedIn } from '../../authz/page-policy.ts';
import { isStaff } from '../../authz/policy.ts';

export const access: FeatureAccess = {
  pages: {
    // staff have their inbox
    '/[base]/[lang]/home': (person) => (isStaff(person) ? { status: 303, to: 'staff' } : toSignedIn(person)),
    '/[base]/[lang]/home/edit': (person) =>
      isStaff(person) ? { status: 303, to: 'staff' } : toSignedIn(person),
    '/[base]/[lang]/staff/home': toManagers,
  },
  inMissingSections: ['/[base]/[lang]/home', '/[base]/[lang]/home/edit', '/[base]/[lang]/staff/home'],
};
