import type { FeatureApi } from '#features/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { accessApi } from './api.server.ts';
import type messages from '../../../locales/en-us/access.json';

const auditActions = {
  'access.change': { text: 'didAccess' },
  'firm.second-step': { text: 'didSecondStep' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    access: typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    access: typeof messages;
  }
}

export const access = defineFeature<FeatureApi>({
  name: 'access',
  auditActions,
  api: {
    app: accessApi,
    routes: [
      { method: 'get', path: '/api/client-center/v1/flags', who: 'signed-in' },
      { method: 'put', path: '/api/client-center/v1/flags/{flag}', who: 'staff', permission: 'ManageFirm' },
    ],
  },
});
