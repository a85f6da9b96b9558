import { clientRemoving, taxIdsStored } from '#features/base/people/events.server.ts';
import { clientMerged } from '#features/base/people/merged-clients.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import { db } from '#platform/database/database.server.ts';
import { DAY } from '#platform/runtime/clock.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { establishmentsApi } from './api.server.ts';
import { CITIES } from './cities.server.ts';
import { exportedEstablishments } from './exporting.server.ts';
import {
  addMissingHeadOffices,
  followTaxIds,
  removeHeadOffice,
  uniteEstablishments,
} from './head-offices.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../../locales/en-us/establishments.json';

const auditActions = {
  'establishment.add': { text: text('establishments', 'didAdd') },
  'establishment.change': { text: text('establishments', 'didChange') },
  'establishment.remove': { text: text('establishments', 'didRemove') },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    establishments: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    establishments: typeof messages;
  }
}

const keepers = { who: 'staff', permission: 'Publish' } as const;

export const establishments = defineFeature<FeatureApi>({
  name: 'establishments',
  tables,
  auditActions,
  exports: [exportedEstablishments],
  names: {
    establishment: (ids) =>
      db()
        .selectFrom('establishments')
        .select(['establishment_id as id', 'name'])
        .where('establishment_id', 'in', ids)
        .execute(),
  },
  api: {
    app: establishmentsApi,
    routes: [
      { method: 'get', path: '/api/br-payroll/v1/clients/{clientId}/establishments', who: 'signed-in' },
      { method: 'get', path: CITIES, who: 'staff' },
      { method: 'post', path: '/api/br-payroll/v1/clients/{clientId}/establishments', ...keepers },
      { method: 'patch', path: '/api/br-payroll/v1/establishments/{id}', ...keepers },
      { method: 'delete', path: '/api/br-payroll/v1/establishments/{id}', ...keepers },
    ],
  },
  subscriptions: [
    on(taxIdsStored, followTaxIds),
    on(clientMerged, uniteEstablishments),
    on(clientRemoving, removeHeadOffice),
  ],
  sweeps: [{ every: DAY, run: addMissingHeadOffices }],
});
