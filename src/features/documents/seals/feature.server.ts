import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type messages from '../../../../locales/en-us/seals.json';
import { exportedCertificates } from './exporting.server.ts';
import { sealsApi } from './api.server.ts';
import { tables } from './schema.server.ts';
import { settingsRows } from './settings-rows.server.ts';
import { sealFaults } from './verification.server.ts';
import { MAX_PDF_BYTES } from './preparing.server.ts';

const auditActions = {
  'seal-key.make': { text: 'didSealKeyMake' },
  'seal-key.load': { text: 'didSealKeyLoad' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    seals: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    seals: typeof messages;
  }
}

export const seals = defineFeature<FeatureApi>({
  name: 'seals',
  tables,
  auditActions,
  exports: [exportedCertificates],
  settings: settingsRows,
  api: {
    app: sealsApi,
    routes: [
      {
        method: 'post',
        path: '/api/client-center/v1/seals/verifications',
        who: 'visitor',
        takesFiles: MAX_PDF_BYTES,
      },
    ],
  },
  verify: sealFaults,
});
