import { when } from '#platform/runtime/events.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { clientMessageAdded, clientMessagesHandled, clientMessageWithdrawn } from './events.server.ts';

export const inboxKinds: Contributions['inbox'] = {
  'client-message': {
    icon: 'message-square',
    step: 'reply',
    text: text('client-messages', 'inbox'),
    next: ({ key }, pathTo) => `${pathTo(`staff/clients/${key}/messages`)}#messages`,
    sources: [
      when(clientMessageAdded, ({ messageId: target, byStaff, companyId, clientId }) =>
        byStaff
          ? { resolveGroup: { companyId, key: clientId } }
          : { add: { companyId, clientId, key: clientId, target, name: '' } },
      ),
      when(clientMessagesHandled, ({ companyId, clientId: key }) => ({ resolveGroup: { companyId, key } })),
      when(clientMessageWithdrawn, ({ messageId }) => ({ resolve: [messageId] })),
    ],
  },
};
