import { readersOf } from '#features/base/people/people.server.ts';
import { documentsDeleted } from '#features/documents/documents/events.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { commentAdded, commentsReadByContact } from './events.server.ts';
import { answerTo } from './mails.server.ts';

/** What contacts are told of comments of the firm; staff have those of clients in their inbox. */
export const notificationKinds: Contributions['notifications'] = {
  comment: {
    text: text('notifications', 'comment'),
    icon: 'pen-line',
    page: ({ detail }) => `documents/${detail}/comments`,
    sources: [
      when(commentAdded, async ({ companyId, clientId, documentId, name, byStaff }) =>
        byStaff
          ? {
              add: {
                companyId,
                clientId,
                contactIds: (await readersOf(companyId, clientId, 'contacts')).map(
                  ({ contactId }) => contactId,
                ),
                key: documentId,
                things: [{ target: answerTo(documentId), name, detail: documentId }],
              },
            }
          : undefined,
      ),
      when(commentsReadByContact, ({ documentId, contactId }) => ({
        resolve: [answerTo(documentId)],
        contactId,
      })),
      when(documentsDeleted, ({ documentIds }) => ({ resolve: documentIds.map(answerTo) })),
    ],
  },
};
