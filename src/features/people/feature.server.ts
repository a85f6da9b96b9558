import type { FeatureApi } from '#features/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { peopleApi } from './api.server.ts';
import { tables } from './schema.server.ts';

const auditActions = {
  'profile.change': { text: 'didProfile' },
  'language.change': { text: 'didLanguage' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    people: typeof auditActions;
  }
}

export const people = defineFeature<FeatureApi>({
  name: 'people',
  tables,
  auditActions,
  api: {
    app: peopleApi,
    routes: [
      { method: 'get', path: '/api/profile/v1/users/current', who: 'signed-in' },
      { method: 'put', path: '/api/profile/v1/users/current', who: 'signed-in', forReadOnly: true },
      {
        method: 'put',
        path: '/api/profile/v1/users/{prismGuid}/language',
        who: 'signed-in',
        forReadOnly: true,
      },
      { method: 'get', path: '/api/profile/v1/contacts', who: 'signed-in' },
    ],
  },
});
