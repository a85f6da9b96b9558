import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../locales/en-us/templates.json';

const auditActions = {
  'template.save': { text: 'didSaveTemplate' },
  'template.delete': { text: 'didDeleteTemplate' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    'folder-templates': typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    templates: typeof messages;
  }
}

export const folderTemplates = defineFeature({ name: 'folder-templates', tables, auditActions });
