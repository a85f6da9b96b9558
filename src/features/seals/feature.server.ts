import type { FeatureApi } from '#features/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import type messages from '../../../locales/en-us/seals.json';
import { sealsApi } from './api.server.ts';
import { tables } from './schema.server.ts';
import { sealFaults } from './verification.server.ts';

const auditActions = {
  'seal-key.make': { text: 'didSealKeyMake' },
  'seal-key.load': { text: 'didSealKeyLoad' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    seals: typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    seals: typeof messages;
  }
}

export const seals = defineFeature<FeatureApi>({
  name: 'seals',
  tables,
  auditActions,
  api: {
    app: sealsApi,
    routes: [
      {
        method: 'post',
        path: '/api/client-center/v1/seals/verifications',
        who: 'visitor',
        takesFiles: true,
      },
    ],
  },
  verify: sealFaults,
});
