import { when } from '#platform/runtime/events.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { intentMarked, intentRejected, intentsSettled } from './events.server.ts';

export const inboxKinds: Contributions['inbox'] = {
  manifest: {
    icon: 'receipt-text',
    step: 'check',
    text: text('invoice-manifest', 'inboxMarked'),
    next: (_, pathTo) => pathTo('staff/invoice-manifest'),
    isFor: ({ access }) => access.permissions.has('Publish'),
    sources: [
      when(intentMarked, ({ companyId, clientId, intentId: target, name }) => ({
        add: { companyId, clientId, key: clientId, target, name },
      })),
      when(intentsSettled, ({ intentIds }) => ({ resolve: intentIds })),
    ],
  },
  manifestRejected: {
    icon: 'receipt-text',
    step: 'check',
    text: text('invoice-manifest', 'inboxRejected'),
    next: (_, pathTo) => pathTo('staff/invoice-manifest'),
    isFor: ({ access }) => access.permissions.has('Publish'),
    sources: [
      when(intentRejected, ({ companyId, clientId, intentId: target, name }) => ({
        add: { companyId, clientId, key: clientId, target, name },
      })),
      when(intentsSettled, ({ intentIds }) => ({ resolve: intentIds })),
    ],
  },
};
