import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { exportedTemplates } from './exporting.server.ts';
import { tables } from './schema.server.ts';
import { settingsRows } from './settings-rows.server.ts';
import type messages from '../../../../locales/en-us/templates.json';

const auditActions = {
  'template.save': { text: 'didSaveTemplate' },
  'template.delete': { text: 'didDeleteTemplate' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    'folder-templates': typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    templates: typeof messages;
  }
}

export const folderTemplates = defineFeature({
  name: 'folder-templates',
  settings: settingsRows,
  tables,
  auditActions,
  exports: [exportedTemplates],
});
