import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type messages from '../../../../locales/en-us/data-exports.json';
import { dataExportsApi } from './api.server.ts';
import { buildDataExport } from './building.server.ts';
import { sweepDataExports } from './data-exports.server.ts';
import { tables } from './schema.server.ts';
import { settingsRows } from './settings-rows.server.ts';

const auditActions = {
  'data-export.request': { text: 'didDataExportRequest' },
  'data-export.cancel': { text: 'didDataExportCancel' },
  'data-export.ready': { text: 'didDataExportReady' },
  'data-export.download': { text: 'didDataExportDownload' },
  'data-export.remove': { text: 'didDataExportRemove' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    'data-exports': typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'data-exports': typeof messages;
  }
}

export const dataExports = defineFeature<FeatureApi>({
  name: 'data-exports',
  tables,
  auditActions,
  settings: settingsRows,
  api: {
    app: dataExportsApi,
    routes: [
      {
        method: 'get',
        path: '/api/client-center/v1/data-exports/{exportId}/file',
        who: 'staff',
        permission: 'ManageFirm',
      },
    ],
  },
  jobs: { 'data-export': { run: buildDataExport, takesHours: true } },
  sweeps: [{ every: HOUR, run: sweepDataExports }],
});
