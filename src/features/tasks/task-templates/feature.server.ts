import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/task-templates.json';
import { exportedTemplates } from './exporting.server.ts';
import { taskTemplatesApi } from './api.server.ts';
import { tables } from './schema.server.ts';

const auditActions = {
  'task-template.create': { text: 'didTaskTemplateCreate' },
  'task-template.change': { text: 'didTaskTemplateChange' },
  'task-template.publish': { text: 'didTaskTemplatePublish' },
  'task-template.archive': { text: 'didTaskTemplateArchive' },
  'task-template.restore': { text: 'didTaskTemplateRestore' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    'task-templates': typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'task-templates': typeof messages;
  }
}

const path = '/api/client-center/v3/task-templates';
const guard = { who: 'staff', permission: 'Publish' } as const;

export const taskTemplates = defineFeature<FeatureApi>({
  name: 'task-templates',
  navigation: [
    {
      side: 'new',
      group: 'firm',
      page: 'staff/tasks/templates/new',
      order: 40,
      label: text('task-templates', 'oneTemplate'),
      icon: 'layers',
    },
  ],
  tables,
  auditActions,
  exports: [exportedTemplates],
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
