import type { Contributions } from '#platform/runtime/feature.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { linkRequested, linkSentAgain } from './events.server.ts';

export const inboxKinds: Contributions['inbox'] = {
  'link-request': {
    icon: 'share-2',
    step: 'answer',
    text: text('inbox', 'linkRequest'),
    next: ({ client }, pathTo) => pathTo('shares', client),
    sources: [
      when(linkRequested, ({ recipientId, email: name, senderId: contactId, companyId, clientId }) => ({
        add: { companyId, clientId, key: recipientId, target: recipientId, name, contactId },
      })),
      when(linkSentAgain, ({ recipientId }) => ({ resolve: [recipientId] })),
    ],
  },
};
