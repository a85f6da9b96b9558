import type { FeatureAccess } from '../../authz/feature-access.ts';
import { notAuthorized, signIn, toManagers } from '../../authz/page-policy.ts';
import { isSignedIn } from '../../authz/policy.ts';

export const access: FeatureAccess = {
  pages: {
    // the fixture names no article, and its firms do not ask for feedback in general
    '/[base]/[lang]/help/feedback': (person) => (isSignedIn(person) ? notAuthorized : signIn),
    '/[base]/[lang]/staff/feedback': toManagers,
  },
};
