import type { FeatureApi } from '#features/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { gridRoutes } from '#features/grids/grid-api.server.ts';
import { staffApi } from './api.server.ts';
import { auditGrid } from './audit-log.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../locales/en-us/staff.json';

const auditActions = {
  'view.start': { text: 'didViewStart' },
  'view.end': { text: 'didViewEnd' },
  'view.read': { text: 'didViewRead' },
  'view.refuse': { text: 'didViewRefuse' },
  'audit.export': { text: 'didExport' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    staff: typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    staff: typeof messages;
  }
}

export const staff = defineFeature<FeatureApi>({
  name: 'staff',
  tables,
  auditActions,
  api: {
    app: staffApi,
    routes: [
      {
        method: 'post',
        path: '/api/security/v1/view-as',
        who: 'staff',
        permission: 'ViewAs',
        forReadOnly: true,
      },
      { method: 'delete', path: '/api/security/v1/view-as', who: 'signed-in', whileViewing: true },
      ...gridRoutes(auditGrid, { who: 'staff', permission: 'ManageFirm' }),
    ],
  },
});
