import type { FeatureApi } from '#features/base/people/people.server.ts';
import { MINUTE } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { signInApi } from './api.server.ts';
import { sweepStarted } from './sweeps.server.ts';
import { tables } from './schema.server.ts';

export const signIn = defineFeature<FeatureApi>({
  name: 'sign-in',
  navigation: [
    {
      side: 'account',
      page: 'profile/security',
      order: 20,
      label: text('security', 'securityTitle'),
      isFor: ({ viewing }) => !viewing,
    },
  ],
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
