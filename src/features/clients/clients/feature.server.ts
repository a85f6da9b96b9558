import { gridRoutes } from '#features/base/grids/grid-api.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { exportedClients } from './exporting.server.ts';
import { clientsApi } from './api.server.ts';
import { archivedClientsGrid, clientsGrid } from './clients-grid.server.ts';
import { clientNames } from './clients.server.ts';
import { tables } from './schema.server.ts';
import { pickerWords } from './ui/picker-messages.ts';
import type messages from '../../../../locales/en-us/clients.json';
import type records from '../../../../locales/en-us/records.json';

const auditActions = {
  'client.nickname': { text: 'didNickname' },
  'client.create': { text: 'didClientCreate' },
  'client.update': { text: 'didClientUpdate' },
  'client.archive': { text: 'didClientArchive' },
  'client.restore': { text: 'didClientRestore' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    clients: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    clients: typeof messages;
    records: typeof records;
  }
}

export const clients = defineFeature<FeatureApi>({
  name: 'clients',
  access: [
    {
      name: 'ShowClientNickname',
      place: 'nicknames in lists of clients, and setting one; src/features/clients/clients/clients.server.ts',
      row: { group: 'account', order: 70, label: text('portal', 'rowNicknames'), isShown: true },
    },
    {
      name: 'ManageClients',
      place: 'pages to create, change and import clients; src/routes.ts',
      row: { group: 'team', order: 30, label: text('portal', 'rowClients'), isForTeam: true },
    },
  ],
  navigation: [
    {
      side: 'staff',
      page: 'staff/clients',
      order: 20,
      label: text('records', 'title'),
      icon: 'building-2',
      key: 'c',
    },
    {
      side: 'new',
      group: 'firm',
      page: 'staff/clients/new',
      order: 10,
      label: text('records', 'oneClient'),
      icon: 'building-2',
    },
  ],
  names: { client: clientNames },
  tables,
  auditActions,
  exports: exportedClients,
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
