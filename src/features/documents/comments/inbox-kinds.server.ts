import type { Contributions } from '#platform/runtime/feature.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { commentAdded, commentRemoved, commentsReadByStaff } from './events.server.ts';

export const inboxKinds: Contributions['inbox'] = {
  comments: {
    icon: 'message-square',
    step: 'reply',
    text: text('inbox', 'comments'),
    next: ({ key, client }, pathTo) => pathTo(`documents/${key}/comments`, client),
    sources: [
      when(commentAdded, ({ commentId: target, documentId: key, byStaff, companyId, clientId, name }) =>
        byStaff ? { resolveGroup: { companyId, key } } : { add: { companyId, clientId, key, target, name } },
      ),
      when(commentsReadByStaff, ({ companyId, documentId: key }) => ({ resolveGroup: { companyId, key } })),
      when(commentRemoved, ({ commentId }) => ({ resolve: [commentId] })),
    ],
  },
};
