import { gridRoutes } from '#features/grids/grid-api.server.ts';
import type { FeatureApi } from '#features/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { clientsApi } from './api.server.ts';
import { archivedClientsGrid, clientsGrid } from './clients-grid.server.ts';
import { tables } from './schema.server.ts';
import { pickerWords } from './ui/picker-messages.ts';
import type messages from '../../../locales/en-us/clients.json';
import type records from '../../../locales/en-us/records.json';

const auditActions = {
  'client.nickname': { text: 'didNickname' },
  'client.create': { text: 'didClientCreate' },
  'client.update': { text: 'didClientUpdate' },
  'client.archive': { text: 'didClientArchive' },
  'client.restore': { text: 'didClientRestore' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    clients: typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    clients: typeof messages;
    records: typeof records;
  }
}

export const clients = defineFeature<FeatureApi>({
  name: 'clients',
  tables,
  auditActions,
  islandMessages: { picker: ['clients', pickerWords] },
  api: {
    app: clientsApi,
    routes: [
      ...gridRoutes(clientsGrid, { who: 'staff' }),
      ...gridRoutes(archivedClientsGrid, { who: 'staff' }),
      { method: 'post', path: '/api/staff/v1/clients', who: 'staff', permission: 'ManageClients' },
      { method: 'get', path: '/api/staff/v1/clients/{id}', who: 'staff' },
      { method: 'patch', path: '/api/staff/v1/clients/{id}', who: 'staff', permission: 'ManageClients' },
      {
        method: 'post',
        path: '/api/staff/v1/clients/{id}/archive',
        who: 'staff',
        permission: 'ManageClients',
      },
      {
        method: 'post',
        path: '/api/staff/v1/clients/{id}/restore',
        who: 'staff',
        permission: 'ManageClients',
      },
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
