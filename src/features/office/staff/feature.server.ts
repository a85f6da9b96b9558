import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { gridRoutes } from '#features/base/grids/grid-api.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { exportedFiles } from './exporting.server.ts';
import { staffApi } from './api.server.ts';
import { auditGrid } from './audit-log.server.ts';
import { tables } from './schema.server.ts';
import { settingsRows } from './settings-rows.server.ts';
import type messages from '../../../../locales/en-us/staff.json';

const auditActions = {
  'view.start': { text: 'didViewStart' },
  'view.end': { text: 'didViewEnd' },
  'view.read': { text: 'didViewRead' },
  'view.refuse': { text: 'didViewRefuse' },
  'audit.export': { text: 'didExport' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    staff: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    staff: typeof messages;
  }
}

export const staff = defineFeature<FeatureApi>({
  name: 'staff',
  access: [
    {
      name: 'ViewAs',
      place: 'viewing as a contact, page and call; src/routes.ts',
      row: { group: 'team', order: 50, label: text('portal', 'rowViewAs'), isForTeam: true },
    },
  ],
  navigation: [
    { side: 'account', page: 'profile/activity', order: 60, label: text('staff', 'activityTitle') },
    { side: 'account', page: 'staff', order: 70, label: text('shell', 'staffArea') },
  ],
  tables,
  auditActions,
  settings: settingsRows,
  exports: exportedFiles,
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
