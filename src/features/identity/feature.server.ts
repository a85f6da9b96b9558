import type { FeatureApi } from '#features/people/people.server.ts';
import { HOUR, MINUTE } from '#platform/clock.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { identityApi, type Renew } from './api.server.ts';
import { sweepSignIns } from './identity.server.ts';
import { recordRefusal } from './refusals.server.ts';
import { sendResetLink } from './reset.server.ts';
import { sweepStarted } from './store.server.ts';

/** `renew` is the work of the feature `session`, which identity does not know. */
export const identity = (renew: Renew) =>
  defineFeature<FeatureApi>({
    name: 'identity',
    api: {
      app: identityApi(renew),
      routes: [
        { method: 'post', path: '/api/security/v1/step-up', who: 'signed-in' },
        { method: 'post', path: '/api/security/v1/passkeys/challenge', who: 'visitor' },
        { method: 'get', path: '/api/security/v1/invitations', who: 'staff', permission: 'ManageContacts' },
        { method: 'post', path: '/api/security/v1/invitations', who: 'staff', permission: 'ManageContacts' },
        {
          method: 'delete',
          path: '/api/security/v1/invitations/{id}',
          who: 'staff',
          permission: 'ManageContacts',
        },
      ],
    },
    jobs: {
      'password-reset': { run: sendResetLink },
      'sign-in-refused': { run: recordRefusal },
    },
    sweeps: [
      { every: HOUR, run: sweepSignIns },
      { every: MINUTE, run: sweepStarted },
    ],
  });
