import type { Contributions } from '#platform/runtime/feature.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { setAsideAdded, setAsideResolved } from './events.server.ts';

export const inboxKinds: Contributions['inbox'] = {
  fiscalSetAside: {
    icon: 'receipt-text',
    step: 'check',
    text: text('fiscal-intake', 'inboxSetAside'),
    next: (_, pathTo) => pathTo('staff/fiscal-documents'),
    isFor: ({ access }) => access.permissions.has('Publish'),
    sources: [
      when(setAsideAdded, ({ companyId, clientId, setAsideId: target, name }) => ({
        add: { companyId, clientId, key: clientId, target, name },
      })),
      when(setAsideResolved, ({ setAsideId }) => ({ resolve: [setAsideId] })),
    ],
  },
};
