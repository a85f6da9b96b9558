import type { ApiRoute } from '#features/base/people/people.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { accessSettings } from './access-settings.server.ts';
import { exportedFolders } from './exporting.server.ts';
import { foldersApi } from './api.server.ts';
import { currentContainerNames } from './names.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../../locales/en-us/tree.json';

const auditActions = {
  'folder.create': { text: 'didFolder', seenByClient: true },
  'container.role': { text: 'didRole', seenByClient: true },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    folders: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    tree: typeof messages;
  }
}

export const folders = defineFeature<FeatureApi>({
  name: 'folders',
  access: accessSettings,
  names: { project: currentContainerNames, folder: currentContainerNames },
  tables,
  auditActions,
  exports: exportedFolders,
  api: {
    app: foldersApi,
    routes: [
      ...['clients', 'projects', 'folders'].flatMap((type): ApiRoute[] => [
        { method: 'get', path: `/api/storage/v1/${type}/{id}/descendants`, who: 'signed-in' },
      ]),
      { method: 'post', path: '/api/storage/v1/folders', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v1/containers/tree', who: 'signed-in' },
      { method: 'get', path: '/api/storage/v1/containers', who: 'signed-in' },
      { method: 'post', path: '/api/storage/v1/projects', who: 'staff', permission: 'Publish' },
      { method: 'get', path: '/api/storage/v1/projects', who: 'signed-in' },
    ],
  },
});
