import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { secondFactorsApi } from './api.server.ts';
import { tables } from './schema.server.ts';

const auditActions = {
  'password.change': { text: 'didPassword' },
  'factor.add': { text: 'didFactor' },
  'factor.remove': { text: 'didFactorRemove' },
  'recovery-codes.make': { text: 'didCodes' },
  'recovery-codes.use': { text: 'didCodeUse' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    'second-factors': typeof auditActions;
  }
}

export const secondFactors = defineFeature<FeatureApi>({
  name: 'second-factors',
  tables,
  auditActions,
  api: {
    app: secondFactorsApi,
    routes: [
      { method: 'post', path: '/api/security/v1/step-up', who: 'signed-in', forReadOnly: true },
      { method: 'post', path: '/api/security/v1/passkeys/challenge', who: 'visitor' },
    ],
  },
});
