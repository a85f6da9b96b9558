import type { FeatureAccess } from '../../authz/feature-access.ts';
import { signIn, toManagers } from '../../authz/page-policy.ts';
import { isSignedIn } from '../../authz/policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/staff/firm': toManagers,
    '/[base]/[lang]/staff/theme': (person) =>
      isSignedIn(person) ? { status: 303, to: 'not-authorized' } : signIn,
  },
};
