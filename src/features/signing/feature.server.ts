import type { FeatureApi } from '#features/people/people.server.ts';
import { clientMerged } from '#features/people/merged-clients.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { HOUR } from '#platform/clock.server.ts';
import { on } from '#platform/events.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import type messages from '../../../locales/en-us/signing.json';
import { SEAL_JOB } from './acting.server.ts';
import { signingApi } from './api.server.ts';
import { purgeRequests } from './drafting.server.ts';
import { sweepVisits } from './links.server.ts';
import { moveRequestsOfClient } from './merging.server.ts';
import { tables } from './schema.server.ts';
import { resumeSealing, sealSigned } from './sealing.server.ts';
import { verifySigning } from './verification.server.ts';

const seenByClient = true;

const auditActions = {
  'signing.send': { text: 'didSigningSend', seenByClient },
  'signing.renew': { text: 'didSigningRenew', seenByClient },
  'signing.refuse': { text: 'didSigningRefuse', seenByClient },
  'signing.sign': { text: 'didSigningSign', seenByClient },
  'signing.download': { text: 'didSigningDownload', seenByClient },
  'signing.decline': { text: 'didSigningDecline', seenByClient },
  'signing.disown': { text: 'didSigningDisown', seenByClient },
  'signing.change-consent': { text: 'didSigningChangeConsent' },
  'signing.seal': { text: 'didSigningSeal', seenByClient },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    signing: typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    signing: typeof messages;
  }
}

const path = '/api/client-center/v3/signing';

export const signing = defineFeature<FeatureApi>({
  name: 'signing',
  tables,
  auditActions,
  subscriptions: [on(clientMerged, moveRequestsOfClient)],
  api: {
    app: signingApi,
    routes: [
      { method: 'get', path: `${path}/{signingId}/pages/{page}`, who: 'signed-in' },
      { method: 'get', path: `${path}/{signingId}/document`, who: 'signed-in' },
      { method: 'get', path: `${path}/links/{token}/pages/{page}`, who: 'visitor' },
      { method: 'get', path: `${path}/links/{token}/document`, who: 'visitor' },
    ],
  },
  jobs: { [SEAL_JOB]: { run: sealSigned, isSlow: true } },
  sweeps: [
    { every: HOUR, run: sweepVisits },
    { every: HOUR, run: purgeRequests },
    { every: HOUR, run: resumeSealing },
  ],
  verify: verifySigning,
});
