import type { ReceiptKindDeclarations } from '#features/base/receipts/kinds.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import { openTasksFigure } from '#features/tasks/task-lists/figures.server.ts';
import { taskChangedByFirm, taskDeleted, taskNotApplicable } from '#features/tasks/tasks/events.server.ts';
import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { on } from '#platform/runtime/events.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/payments.json';
import { exportedSettings } from './exported-settings.server.ts';
import { exportedPayments } from './exporting.server.ts';
import { paymentsApi } from './api.server.ts';
import { CLOSING_JOB, closeCheckout, closeCheckoutsOf } from './closing.server.ts';
import { SANDBOX_JOB, settleLater } from './sandbox-page.server.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { tables } from './schema.server.ts';
import { settingsRows } from './settings-rows.server.ts';
import { verifyPayments } from './verification.server.ts';

const seenByClient = true;

const auditActions = {
  'payment.settings': { text: 'didPaymentSettings' },
  'payment.account': { text: 'didPaymentAccount' },
  'payment.reverse': { text: 'didPaymentReverse', seenByClient },
  'payment.request': { text: 'didPaymentRequest', seenByClient },
  'payment.report': { text: 'didPaymentReport', seenByClient },
  'payment.checkout': { text: 'didPaymentCheckout', seenByClient },
  'payment.confirm': { text: 'didPaymentConfirm', seenByClient },
  'payment.fail': { text: 'didPaymentFail', seenByClient },
  'payment.unclear': { text: 'didPaymentUnclear' },
} as const satisfies AuditActionDeclarations;

const receiptKinds = {
  payment: { label: text('payments', 'receiptKind'), filterOrder: 50 },
} as const satisfies ReceiptKindDeclarations;

declare module '#features/base/receipts/kinds.ts' {
  interface ReceiptKinds {
    payments: typeof receiptKinds;
  }
}

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    payments: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    payments: typeof messages;
  }
}

export const payments = defineFeature<FeatureApi>({
  name: 'payments',
  receiptKinds,
  tables,
  auditActions,
  exports: [...exportedPayments, exportedSettings],
  inbox: inboxKinds,
  figures: [
    openTasksFigure('payment_request', { id: 'payments', order: 40, label: text('overview', 'payments') }),
    {
      id: 'reported-payments',
      group: 'firm',
      order: 50,
      label: text('overview', 'reportedPayments'),
      inboxKind: 'payment',
    },
    {
      id: 'unclear-payments',
      group: 'firm',
      order: 55,
      label: text('overview', 'unclearPayments'),
      inboxKind: 'payment-unclear',
    },
  ],
  settings: settingsRows,
  subscriptions: [
    on(taskDeleted, ({ taskId }) => closeCheckoutsOf(taskId)),
    on(taskNotApplicable, ({ taskId }) => closeCheckoutsOf(taskId)),
    on(taskChangedByFirm, ({ taskId, change }) =>
      change === 'cancelled' ? closeCheckoutsOf(taskId) : Promise.resolve(),
    ),
  ],
  api: {
    app: paymentsApi,
    routes: [
      { method: 'post', path: '/api/payments/v1/webhooks/{provider}', who: 'visitor' },
      { method: 'post', path: '/api/payments/v1/webhooks/stripe/{companyId}', who: 'visitor' },
    ],
  },
  jobs: { [SANDBOX_JOB]: { run: settleLater }, [CLOSING_JOB]: { run: closeCheckout } },
  verify: verifyPayments,
});
