import type { FeatureAccess } from '../../authz/feature-access.ts';
import { sends, signIn, toSignedIn } from '../../authz/page-policy.ts';
import { isSignedIn } from '../../authz/policy.ts';

export const access: FeatureAccess = {
  rules: {
    'get /api/client-center/v1/actions': { who: 'nobody here' },
  },
  requests: {
    'get /api/client-center/v1/actions': [{ ids: {} }],
  },
  pages: {
    // Nobody in the fixture has an action: they are redirected (spec 1 section 6).
    '/[base]/[lang]/actions': sends(''),
    '/[base]/[lang]/actions/not-authorized': (person) => (isSignedIn(person) ? { status: 403 } : signIn),
    '/[base]/[lang]/actions/[section]/[action]': sends(''),
    // client_0 is nobody's
    '/[base]/[lang]/mobile': toSignedIn,
    '/[base]/[lang]/mobile/actions/[...action]': sends(''),
  },
  inMissingSections: [
    '/[base]/[lang]/actions',
    '/[base]/[lang]/actions/[section]/[action]',
    '/[base]/[lang]/mobile/actions/[...action]',
  ],
  placeholders: { section: 'box-e', action: 'nfe-storage' },
};
