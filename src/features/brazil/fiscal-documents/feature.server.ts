import { gridRoutes } from '#features/base/grids/grid-api.server.ts';
import { clientMerged } from '#features/base/people/merged-clients.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { fiscalDocumentsApi } from './api.server.ts';
import { exportedFiscalDocuments } from './exporting.server.ts';
import { STORAGES } from './fiscal-documents.ts';
import { FISCAL_GRIDS, FISCAL_REPORT } from './grids.server.ts';
import { joinSmallPacks } from './joining.server.ts';
import { followMergedClient } from './merging.server.ts';
import { tables } from './schema.server.ts';
import { verifyFiscalDocuments } from './verification.server.ts';
import type messages from '../../../../locales/en-us/fiscal-documents.json';

const auditActions = {
  'fiscal.order': { text: text('fiscal-documents', 'didOrder') },
  'fiscal.end': { text: text('fiscal-documents', 'didEnd') },
  'fiscal.client-on': { text: text('fiscal-documents', 'didSwitchOn') },
  'fiscal.client-off': { text: text('fiscal-documents', 'didSwitchOff') },
  'fiscal.check-month': { text: text('fiscal-documents', 'didCheckMonth'), seenByClient: true },
  'fiscal.export': { text: text('fiscal-documents', 'didExport'), seenByClient: true },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    fiscalDocuments: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'fiscal-documents': typeof messages;
  }
}

const path = '/api/boxe/v1';
const guard = { who: 'signed-in', part: 'actions' } as const;

export const fiscalDocuments = defineFeature<FeatureApi>({
  name: 'fiscal-documents',
  access: [
    {
      name: 'BoxE',
      place: 'the actions of box-e',
    },
  ],
  tables,
  auditActions,
  exports: exportedFiscalDocuments,
  api: {
    app: fiscalDocumentsApi,
    routes: [
      { method: 'get', path: `${path}/companies`, who: 'signed-in' },
      { method: 'get', path: `${path}/clients/{id}`, who: 'signed-in' },
      { method: 'get', path: `${path}/documents/{id}/xml`, ...guard },
      { method: 'get', path: `${path}/exports`, ...guard },
      { method: 'get', path: `${path}/fixity`, who: 'staff', permission: 'Publish' },
      ...STORAGES.flatMap((storage) => gridRoutes(FISCAL_GRIDS[storage], guard)),
      ...gridRoutes(FISCAL_REPORT, guard),
    ],
  },
  subscriptions: [on(clientMerged, followMergedClient)],
  sweeps: [{ every: HOUR, run: joinSmallPacks }],
  verify: verifyFiscalDocuments,
});
