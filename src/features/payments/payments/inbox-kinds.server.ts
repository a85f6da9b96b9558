import type { Contributions } from '#platform/runtime/feature.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { toStaffTask } from '#features/tasks/tasks/inbox-kinds.server.ts';
import { paymentReported, paymentUnclear } from './events.server.ts';

/** A row about a payment that was reported leaves with its task. */
export const inboxKinds: Contributions['inbox'] = {
  payment: {
    icon: 'receipt-text',
    step: 'check',
    text: text('inbox', 'payment'),
    next: toStaffTask,
    sources: [
      when(paymentReported, ({ taskId, companyId, clientId, name }) => ({
        add: { companyId, clientId, key: taskId, target: taskId, name },
      })),
    ],
  },
  'payment-unclear': {
    icon: 'receipt-text',
    step: 'check',
    text: text('inbox', 'paymentUnclear'),
    next: toStaffTask,
    sources: [
      when(paymentUnclear, ({ taskId: key, eventId: target, companyId, clientId, name }) => ({
        add: { companyId, clientId, key, target, name },
      })),
    ],
  },
};
