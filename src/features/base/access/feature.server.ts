import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { accessSettings } from './access-settings.server.ts';
import { exportedAccess } from './exporting.server.ts';
import { accessApi } from './api.server.ts';
import { settingsRows } from './settings-rows.server.ts';
import type messages from '../../../../locales/en-us/access.json';

const auditActions = {
  'access.change': { text: 'didAccess' },
  'firm.second-step': { text: 'didSecondStep' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    access: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    access: typeof messages;
  }
}

export const access = defineFeature<FeatureApi>({
  name: 'access',
  access: accessSettings,
  auditActions,
  exports: exportedAccess,
  settings: settingsRows,
  api: {
    app: accessApi,
    routes: [
      { method: 'get', path: '/api/client-center/v1/flags', who: 'signed-in' },
      { method: 'put', path: '/api/client-center/v1/flags/{flag}', who: 'staff', permission: 'ManageFirm' },
    ],
  },
});
