import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { exportedPeople } from './exporting.server.ts';
import { peopleApi } from './api.server.ts';
import { contactNames } from './names.server.ts';
import { tables } from './schema.server.ts';
import { maySetProfile } from './profile.server.ts';

const auditActions = {
  'profile.change': { text: 'didProfile' },
  'language.change': { text: 'didLanguage' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    people: typeof auditActions;
  }
}

export const people = defineFeature<FeatureApi>({
  name: 'people',
  access: [
    {
      name: 'ConfigureAccountInformation',
      place: 'changing the own profile; src/features/base/people/profile.server.ts',
      row: { group: 'account', order: 60, label: text('portal', 'rowProfile'), isInverted: true },
    },
  ],
  navigation: [
    {
      side: 'account',
      page: 'profile',
      order: 10,
      label: text('shell', 'profileTitle'),
      isFor: maySetProfile,
      dialog: 'profile',
    },
  ],
  names: { contact: contactNames },
  tables,
  auditActions,
  exports: [exportedPeople],
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
