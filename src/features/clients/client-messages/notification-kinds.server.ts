import { when } from '#platform/runtime/events.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { clientMessageAdded, clientMessagesRead } from './events.server.ts';
import { answerTo, readersToNotify } from './mails.server.ts';

/** What contacts are told of messages of the firm; staff have those of clients in their inbox. */
export const notificationKinds: Contributions['notifications'] = {
  'client-message': {
    push: 'messages',
    text: text('client-messages', 'notification'),
    icon: 'mail',
    page: () => 'messages',
    sources: [
      when(clientMessageAdded, async ({ companyId, clientId, byStaff }) =>
        byStaff
          ? {
              add: {
                companyId,
                clientId,
                contactIds: (await readersToNotify(companyId, clientId, 'contacts')).map(
                  ({ contactId }) => contactId,
                ),
                key: clientId,
                things: [{ target: answerTo(clientId), name: '', detail: clientId }],
              },
            }
          : undefined,
      ),
      when(clientMessagesRead, ({ clientId, contactId }) => ({ resolve: [answerTo(clientId)], contactId })),
    ],
  },
};
