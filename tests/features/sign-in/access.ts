import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toEverybody, toNobody, toSignedIn, toThoseOutside } from '../../authz/page-policy.ts';

export const access: FeatureAccess = {
  rules: {
    'post /api/security/v1/oidc/login': { who: 'anyone' },
    'post /api/security/v1/oidc/auth-code/session': { who: 'nobody without a sign-in under way' },
  },
  requests: {
    'post /api/security/v1/oidc/login': [
      {
        ids: {},
        send: () => ({ json: { lang: 'en-us', redirectUri: '/clientcenter/en-us/documents' } }),
        named: ['sp', 'type'],
      },
    ],
    'post /api/security/v1/oidc/auth-code/session': [
      { ids: {}, send: () => ({ query: { code: 'nobody-gave-it', state: 'nobody-began-it' } }) },
    ],
  },
  pages: {
    // nobody in the fixture has the ManageFirm permission
    '/[base]/[lang]/profile/security': toSignedIn,
    // without a pending sign-in there is no second step
    '/[base]/[lang]/auth/second-step': () => ({ status: 303, to: 'auth' }),
    '/[base]/[lang]/auth/confirm': toSignedIn,
    '/[base]/[lang]/auth/leaving': toNobody,
    // only a redirect to another site shows it
    '/[base]/[lang]/auth': toThoseOutside,
    '/[base]/[lang]/auth/firm-locked': toEverybody,
    '/[base]/[lang]/auth/mfa-required': toEverybody,
    '/[base]/[lang]/auth/signin-error': toEverybody,
  },
  postedByReaders: [
    '/[base]/[lang]/profile/security',
    '/[base]/[lang]/auth',
    '/[base]/[lang]/auth/firm-locked',
    '/[base]/[lang]/auth/mfa-required',
    '/[base]/[lang]/auth/second-step',
    '/[base]/[lang]/auth/leaving',
    '/[base]/[lang]/auth/confirm',
    '/[base]/[lang]/auth/signin-error',
  ],
  fuzz: {
    notHere: {
      'POST /api/security/v1/oidc/auth-code/session': 'no sign-in is under way',
    },
  },
};
