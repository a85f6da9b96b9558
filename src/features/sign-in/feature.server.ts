import type { FeatureApi } from '#features/people/people.server.ts';
import { MINUTE } from '#platform/clock.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { signInApi } from './api.server.ts';
import { sweepStarted } from './sweeps.server.ts';
import { tables } from './schema.server.ts';

export const signIn = defineFeature<FeatureApi>({
  name: 'sign-in',
  tables,
  api: {
    app: signInApi,
    routes: [
      { method: 'post', path: '/api/security/v1/oidc/login', who: 'visitor' },
      { method: 'post', path: '/api/security/v1/oidc/auth-code/session', who: 'visitor' },
    ],
  },
  sweeps: [{ every: MINUTE, run: sweepStarted }],
});
