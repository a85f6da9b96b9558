import type { FeatureApi } from '#features/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import type messages from '../../../locales/en-us/task-templates.json';
import { taskTemplatesApi } from './api.server.ts';
import { tables } from './schema.server.ts';

const auditActions = {
  'task-template.create': { text: 'didTaskTemplateCreate' },
  'task-template.change': { text: 'didTaskTemplateChange' },
  'task-template.publish': { text: 'didTaskTemplatePublish' },
  'task-template.archive': { text: 'didTaskTemplateArchive' },
  'task-template.restore': { text: 'didTaskTemplateRestore' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    'task-templates': typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    'task-templates': typeof messages;
  }
}

const path = '/api/client-center/v3/task-templates';
const guard = { who: 'staff', permission: 'Publish' } as const;

export const taskTemplates = defineFeature<FeatureApi>({
  name: 'task-templates',
  tables,
  auditActions,
  api: {
    app: taskTemplatesApi,
    routes: [
      { method: 'get', path, ...guard },
      { method: 'post', path, ...guard },
      { method: 'get', path: `${path}/{templateId}`, ...guard },
      { method: 'patch', path: `${path}/{templateId}`, ...guard },
      { method: 'post', path: `${path}/{templateId}/publish`, ...guard },
      { method: 'delete', path: `${path}/{templateId}`, ...guard },
    ],
  },
});
