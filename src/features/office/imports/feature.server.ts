import { continueEarlier } from '#features/base/batches/earlier-jobs.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { MAX_FILE_BYTES } from '#platform/tabular/tabular.ts';
import { importsApi } from './api.server.ts';
import { importBatchKind } from './batch-kind.server.ts';
import { clientRows } from './client-rows.server.ts';
import { contactRows } from './contact-rows.server.ts';
import { linkRows } from './link-rows.server.ts';
import { tables } from './schema.server.ts';
import { settingsRows } from './settings-rows.server.ts';
import type messages from '../../../../locales/en-us/imports.json';

const auditActions = {
  'import.start': { text: 'didImport' },
  'import.finish': { text: 'didImportFinish' },
  'import.cancel': { text: 'didImportCancel' },
  'import.stop': { text: 'didImportStop' },
  'import.undo': { text: 'didImportUndo' },
  'import.remove': { text: 'didImportRemove' },
  'records.export': { text: 'didExportRecords' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    imports: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    imports: typeof messages;
  }
}

export const imports = defineFeature<FeatureApi>({
  name: 'imports',
  tables,
  auditActions,
  importKinds: { clients: clientRows, contacts: contactRows, links: linkRows },
  settings: settingsRows,
  api: {
    app: importsApi,
    routes: [
      {
        method: 'post',
        path: '/api/client-center/v1/imports',
        who: 'staff',
        permission: 'ManageClients',
        takesFiles: MAX_FILE_BYTES,
      },
    ],
  },
  batches: { [importBatchKind.name]: importBatchKind },
  jobs: { import: { run: continueEarlier, isSlow: true } },
});
