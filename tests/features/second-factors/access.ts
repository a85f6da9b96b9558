import type { FeatureAccess } from '../../authz/feature-access.ts';

export const access: FeatureAccess = {
  rules: {
    // Nobody in the fixture has a password or a second factor.
    'post /api/security/v1/step-up': {
      forReaders: true,
      who: 'signed in',
      changes: ['limits', 'jobs'],
      answers: [422],
    },
    'post /api/security/v1/passkeys/challenge': { who: 'anyone', changes: ['passkey_challenges', 'limits'] },
  },
  requests: {
    'post /api/security/v1/step-up': [
      {
        ids: {},
        send: () => ({ json: { kind: 'password', password: 'not this one' } }),
        named: ['code', 'credential'],
      },
    ],
    'post /api/security/v1/passkeys/challenge': [{ ids: {} }],
  },
  fuzz: {
    notHere: {
      'POST /api/security/v1/step-up': 'the callers of this test have no stored session',
    },
  },
};
