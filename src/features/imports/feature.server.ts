import type { FeatureApi } from '#features/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { HOUR } from '#platform/clock.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { importsApi } from './api.server.ts';
import { continueImport, sweepImports } from './batches.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../locales/en-us/imports.json';

const auditActions = {
  'import.start': { text: 'didImport' },
  'import.finish': { text: 'didImportFinish' },
  'import.cancel': { text: 'didImportCancel' },
  'import.stop': { text: 'didImportStop' },
  'import.undo': { text: 'didImportUndo' },
  'import.remove': { text: 'didImportRemove' },
  'records.export': { text: 'didExportRecords' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    imports: typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    imports: typeof messages;
  }
}

export const imports = defineFeature<FeatureApi>({
  name: 'imports',
  tables,
  auditActions,
  api: {
    app: importsApi,
    routes: [
      { method: 'post', path: '/api/client-center/v1/imports', who: 'staff', permission: 'ManageClients' },
    ],
  },
  jobs: { import: { run: continueImport, isSlow: true } },
  sweeps: [{ every: HOUR, run: sweepImports }],
});
