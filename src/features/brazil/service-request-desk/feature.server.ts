import { gridRoutes } from '#features/base/grids/grid-api.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { serviceRequestDeskApi } from './api.server.ts';
import { deskBatchKind } from './batch-kind.server.ts';
import { queueGrid } from './queue-grid.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../../locales/en-us/service-request-desk.json';

const auditActions = {
  'service-request-batch.start': { text: text('service-request-desk', 'didBatchStart') },
  'service-request-batch.stop': { text: text('service-request-desk', 'didBatchStop') },
  'service-request-batch.undo': { text: text('service-request-desk', 'didBatchUndo') },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    'service-request-desk': typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'service-request-desk': typeof messages;
  }
}

export const serviceRequestDesk = defineFeature<FeatureApi>({
  name: 'service-request-desk',
  tables,
  auditActions,
  batches: { [deskBatchKind.name]: deskBatchKind },
  api: {
    app: serviceRequestDeskApi,
    routes: [
      ...gridRoutes(queueGrid, { who: 'staff' }),
      { method: 'post', path: '/api/service-request/v1/exports', who: 'staff', permission: 'Publish' },
      { method: 'get', path: '/api/service-request/v1/exports/{id}', who: 'staff', permission: 'Publish' },
    ],
  },
});
