import { gridRoutes } from '#features/base/grids/grid-api.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { directoryApi } from './api.server.ts';
import { peopleGrid } from './people-grid.server.ts';
import { searchKind } from './search-kind.server.ts';
import { settingsRows } from './settings-rows.server.ts';
import type messages from '../../../../locales/en-us/directory.json';

const auditActions = {
  'person.rename': { text: 'didRename' },
  'person.link': { text: 'didLink' },
  'person.unlink': { text: 'didUnlink' },
  'person.assign': { text: 'didAssign' },
  'person.unassign': { text: 'didUnassign' },
  'person.role': { text: 'didPersonRole' },
  'person.suspend': { text: 'didSuspend' },
  'person.resume': { text: 'didResume' },
  'person.sign-out': { text: 'didSignOutPerson' },
  'person.remove': { text: 'didRemovePerson' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    directory: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    directory: typeof messages;
  }
}

export const directory = defineFeature<FeatureApi>({
  name: 'directory',
  navigation: [
    {
      side: 'staff',
      page: 'staff/people',
      order: 50,
      label: text('directory', 'title'),
      icon: 'users',
      key: 'u',
    },
    {
      side: 'new',
      group: 'firm',
      page: 'staff/people/new',
      order: 20,
      label: text('directory', 'onePerson'),
      icon: 'user-plus',
    },
  ],
  search: [searchKind],
  auditActions,
  settings: settingsRows,
  api: { app: directoryApi, routes: gridRoutes(peopleGrid, { who: 'staff' }) },
});
