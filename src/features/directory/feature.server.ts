import { gridRoutes } from '#features/grids/grid-api.server.ts';
import type { FeatureApi } from '#features/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { directoryApi } from './api.server.ts';
import { peopleGrid } from './people-grid.server.ts';
import type messages from '../../../locales/en-us/directory.json';

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

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    directory: typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    directory: typeof messages;
  }
}

export const directory = defineFeature<FeatureApi>({
  name: 'directory',
  auditActions,
  api: { app: directoryApi, routes: gridRoutes(peopleGrid, { who: 'staff' }) },
});
