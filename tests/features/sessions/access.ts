import type { FeatureAccess } from '../../authz/feature-access.ts';
import { signIn, toSignedIn, toThoseOutside } from '../../authz/page-policy.ts';
import { isSignedIn } from '../../authz/policy.ts';

export const access: FeatureAccess = {
  rules: {
    'get /api/security/v1/session': { who: 'signed in' },
    'delete /api/security/v1/session': { forReaders: true, who: 'signed in', changes: ['sessions'] },
    'get /api/profile/v1/themes/{companyId}': { who: 'signed in', sees: ['companyId'] },
    'post /api/security/v1/session/extend': { forReaders: true, who: 'signed in' },
    'get /api/security/v1/long-tokens': { who: 'signed in' },
    'post /api/security/v1/long-tokens': {
      forReaders: true,
      who: 'signed in',
      changes: ['long_tokens', 'jobs'],
    },
    'delete /api/security/v1/long-tokens/{tokenId}': { forReaders: true, who: 'signed in', answers: [404] },
    'get /api/security/v1/accounts': { who: 'signed in', namesAllFirms: true },
    // Contacts of others, and those of this user, in tests/features/sessions/accounts.test.ts.
    'post /api/security/v1/account-switch': { forReaders: true, who: 'signed in', answers: [404] },
    'get /api/security/v1/terms': { who: 'signed in' },
    'post /api/security/v1/terms': { forReaders: true, who: 'signed in', answers: [404] },
    'get /api/security/v1/sessions': { who: 'signed in' },
    'delete /api/security/v1/sessions': {
      forReaders: true,
      who: 'signed in',
      changes: ['sessions', 'long_tokens'],
      ends: ['sessions', 'long_tokens'],
    },
  },
  requests: {
    'get /api/security/v1/session': [{ ids: {} }],
    'delete /api/security/v1/session': [{ ids: {} }],
    'get /api/profile/v1/themes/{companyId}': [{ ids: { companyId: 'company' } }],
    'post /api/security/v1/session/extend': [{ ids: {} }],
    'get /api/security/v1/long-tokens': [{ ids: {} }],
    'post /api/security/v1/long-tokens': [
      { ids: {}, send: () => ({ json: { kind: 'link' } }) },
      { of: 'for a program', ids: {}, send: () => ({ json: { kind: 'api', hours: 1 } }) },
    ],
    'delete /api/security/v1/long-tokens/{tokenId}': [{ ids: { tokenId: 'mail' } }],
    'get /api/security/v1/accounts': [{ ids: {}, send: () => ({ query: { active: 'true' } }) }],
    'post /api/security/v1/account-switch': [
      { ids: {}, send: () => ({ json: { contactId: 'contact_nobody' } }) },
    ],
    'get /api/security/v1/terms': [{ ids: {}, send: () => ({ query: { language: 'pt' } }) }],
    'post /api/security/v1/terms': [
      { ids: {}, send: () => ({ json: { version: 1, language: 'en-us', sha256: '0'.repeat(64) } }) },
    ],
    'get /api/security/v1/sessions': [{ ids: {} }],
    'delete /api/security/v1/sessions': [{ ids: {} }],
  },
  pages: {
    '/[base]/[lang]/auth/logout': toThoseOutside,
    '/[base]/[lang]/auth/continue': () => ({ status: 401 }),
    // without a link there is nothing to continue
    '/[base]/[lang]/account-switch': toSignedIn,
    '/[base]/[lang]/kept-form': toSignedIn,
    '/[base]/[lang]/terms-and-conditions': (person) =>
      isSignedIn(person) ? { status: 303, to: '' } : signIn,
    '/[base]/[lang]/staff/terms': (person) =>
      // nobody in the fixture may change the firm's settings
      isSignedIn(person) ? { status: 303, to: 'not-authorized' } : signIn,
  },
  postedByReaders: [
    '/[base]/[lang]/auth/logout',
    '/[base]/[lang]/auth/continue',
    '/[base]/[lang]/account-switch',
    '/[base]/[lang]/kept-form',
    '/[base]/[lang]/terms-and-conditions',
  ],
  fuzz: {
    notHere: {
      'POST /api/security/v1/account-switch': 'the callers of this test have no stored session',
      'POST /api/security/v1/terms': 'the version of the terms seldom fits by chance',
    },
  },
};
