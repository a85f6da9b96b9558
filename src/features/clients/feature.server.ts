import type { FeatureApi } from '#features/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { clientsApi } from './api.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../locales/en-us/clients.json';

const auditActions = {
  'client.nickname': { text: 'didNickname' },
  'client.create': { text: 'didClientCreate' },
  'client.update': { text: 'didClientUpdate' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    clients: typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    clients: typeof messages;
  }
}

export const clients = defineFeature<FeatureApi>({
  name: 'clients',
  tables,
  auditActions,
  api: {
    app: clientsApi,
    routes: [
      { method: 'get', path: '/api/client-center/v1/clients/', who: 'signed-in' },
      // it only reads
      {
        method: 'post',
        path: '/api/core/v3/companies/{companyId}/clients/search',
        who: 'signed-in',
        whileViewing: true,
      },
    ],
  },
});
