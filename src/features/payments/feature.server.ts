import { clientMerged } from '#features/people/merged-clients.server.ts';
import type { FeatureApi } from '#features/people/people.server.ts';
import { taskChangedByFirm, taskDeleted, taskNotApplicable } from '#features/tasks/events.server.ts';
import type { AuditActionDeclarations } from '#platform/audit-actions.server.ts';
import { on } from '#platform/events.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import type messages from '../../../locales/en-us/payments.json';
import { paymentsApi } from './api.server.ts';
import { CLOSING_JOB, closeCheckout, closeCheckoutsOf } from './closing.server.ts';
import { movePaymentsOfClient } from './merging.server.ts';
import { SANDBOX_JOB, settleLater } from './sandbox-page.server.ts';
import { tables } from './schema.server.ts';
import { verifyPayments } from './verification.server.ts';

const seenByClient = true;

const auditActions = {
  'payment.settings': { text: 'didPaymentSettings' },
  'payment.request': { text: 'didPaymentRequest', seenByClient },
  'payment.report': { text: 'didPaymentReport', seenByClient },
  'payment.checkout': { text: 'didPaymentCheckout', seenByClient },
  'payment.confirm': { text: 'didPaymentConfirm', seenByClient },
  'payment.fail': { text: 'didPaymentFail', seenByClient },
  'payment.unclear': { text: 'didPaymentUnclear' },
} as const satisfies AuditActionDeclarations;

declare module '#platform/audit-actions.server.ts' {
  interface AuditActions {
    payments: typeof auditActions;
  }
}

declare module '#platform/translations.server.ts' {
  interface Namespaces {
    payments: typeof messages;
  }
}

export const payments = defineFeature<FeatureApi>({
  name: 'payments',
  tables,
  auditActions,
  subscriptions: [
    on(clientMerged, movePaymentsOfClient),
    on(taskDeleted, ({ taskId }) => closeCheckoutsOf(taskId)),
    on(taskNotApplicable, ({ taskId }) => closeCheckoutsOf(taskId)),
    on(taskChangedByFirm, ({ taskId, change }) =>
      change === 'cancelled' ? closeCheckoutsOf(taskId) : Promise.resolve(),
    ),
  ],
  api: {
    app: paymentsApi,
    routes: [{ method: 'post', path: '/api/payments/v1/webhooks/{provider}', who: 'visitor' }],
  },
  jobs: { [SANDBOX_JOB]: { run: settleLater }, [CLOSING_JOB]: { run: closeCheckout } },
  verify: verifyPayments,
});
