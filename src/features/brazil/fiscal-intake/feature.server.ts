import { clientMerged } from '#features/base/people/merged-clients.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import { hasArea } from '#features/base/people/people.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { HOUR, SECOND } from '#platform/runtime/clock.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { fiscalIntakeApi } from './api.server.ts';
import { exportedIntakes } from './exporting.server.ts';
import { MAX_UPLOAD } from './fiscal-intake.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { continueIntake, endBrokenIntakes, FISCAL_INTAKE } from './reading-archives.server.ts';
import { readMailbox } from './mailbox.server.ts';
import { tables } from './schema.server.ts';
import { followMergedSetAsides, sweepSetAsides } from './set-asides.server.ts';
import { readFolder } from './watched-folder.server.ts';
import type messages from '../../../../locales/en-us/fiscal-intake.json';

const auditActions = {
  'fiscal.intake': { text: text('fiscal-intake', 'didSend'), seenByClient: true },
  'fiscal.arrive': { text: text('fiscal-intake', 'didArrive'), seenByClient: true },
  'fiscal.address': { text: text('fiscal-intake', 'didAddress'), seenByClient: true },
  'fiscal.assign': { text: text('fiscal-intake', 'didAssign') },
  'fiscal.discard': { text: text('fiscal-intake', 'didDiscard') },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    fiscalIntake: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'fiscal-intake': typeof messages;
  }
}

/** How often the watched folder is scanned, and the mailbox polled: other sweeps do not wait for either. */
const SCAN_EVERY = 20 * SECOND;
const POLL_EVERY = 30 * SECOND;

const guard = { who: 'signed-in', part: 'actions' } as const;

export const fiscalIntake = defineFeature<FeatureApi>({
  name: 'fiscal-intake',
  navigation: [
    {
      side: 'staff',
      page: 'staff/fiscal-documents',
      order: 46,
      label: text('fiscal-intake', 'staffTitle'),
      icon: 'layers',
      key: 'f',
      isFor: ({ actor }) => hasArea(actor.access, 'box-e'),
    },
  ],
  tables,
  auditActions,
  inbox: inboxKinds,
  figures: [
    {
      id: 'set-aside',
      group: 'firm',
      order: 70,
      label: text('overview', 'setAside'),
      isFor: ({ access }) => hasArea(access, 'box-e'),
      inboxKind: 'fiscalSetAside',
    },
  ],
  exports: exportedIntakes,
  api: {
    app: fiscalIntakeApi,
    routes: [
      { method: 'post', path: '/api/boxe/v1/clients/{id}/documents', ...guard, takesFiles: MAX_UPLOAD },
      { method: 'get', path: '/api/boxe/v1/intakes/{id}', ...guard },
    ],
  },
  subscriptions: [on(clientMerged, followMergedSetAsides)],
  jobs: { [FISCAL_INTAKE]: { run: continueIntake, isSlow: true } },
  sweeps: [
    { every: HOUR, run: endBrokenIntakes },
    { every: HOUR, run: sweepSetAsides },
    {
      every: SCAN_EVERY,
      run: (signal) => readFolder(signal),
      failure: { level: 'warn', event: 'fiscal.folder-not-read' },
    },
    {
      every: POLL_EVERY,
      run: (signal) => readMailbox(signal),
      failure: { level: 'warn', event: 'fiscal.mailbox-not-read' },
    },
  ],
});
