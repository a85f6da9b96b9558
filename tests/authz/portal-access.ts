import type { FeatureAccess } from './feature-access.ts';
import { nowhere, ok, sendsStaff, signIn, toEverybody, toNobody, toSignedInWithId } from './page-policy.ts';
import { isSignedIn, isStaff } from './policy.ts';

export const access: FeatureAccess = {
  rules: {
    'get /api/openapi.json': { who: 'anyone' },
    'get /api/docs': { who: 'anyone' },
  },
  requests: {
    'get /api/openapi.json': [{ ids: {} }],
    'get /api/docs': [{ ids: {} }],
  },
  pages: {
    '/[base]/[lang]': (person) =>
      isSignedIn(person) ? { status: 303, to: isStaff(person) ? 'staff' : 'home' } : signIn,
    '/[base]/[lang]/.well-known/[link]': toSignedInWithId,
    // no firm has a privacy statement
    '/[base]/[lang]/announcement': (person) => (isSignedIn(person) ? { status: 303, to: '' } : signIn),
    '/[base]/[lang]/language': toEverybody,
    // the token of the fixture is that of a share
    '/[base]/[lang]/not-authorized': toEverybody,
    '/[base]/[lang]/staff': sendsStaff('staff/'),
    '/[base]/[lang]/notfound': toNobody,
    '/[base]/[lang]/kit': (_, isDemo) => (isDemo ? ok : nowhere),
    '/404': toNobody,
    '/500': toNobody,
  },
  postedByReaders: [
    '/[base]/[lang]/announcement',
    '/[base]/[lang]/language',
    '/[base]/[lang]/not-authorized',
    '/[base]/[lang]/notfound',
    '/[base]/[lang]/kit',
    '/404',
    '/500',
  ],
  placeholders: { link: 'none' },
};
