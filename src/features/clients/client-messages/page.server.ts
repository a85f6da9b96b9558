import { recipientsOf } from '#features/clients/notice-recipients/recipients.server.ts';
import { threadPage } from '#features/clients/threads/thread-page.server.ts';
import {
  addClientMessage,
  countClientMessages,
  listClientMessages,
  withdrawClientMessage,
} from './messages.server.ts';
import { markMessagesRead, unreadWith } from './reading.server.ts';
import { seesMessages } from './scope.server.ts';

type ThreadArguments = Parameters<typeof threadPage>;

/** The conversation with a client, with the form for another message unless the client is archived. NOT_FOUND. */
export function messagesPage(
  page: ThreadArguments[0],
  { clientId, isArchived = false }: { clientId: string; isArchived?: boolean },
  context: ThreadArguments[2],
) {
  const { actor } = page.locals.session;
  const thread: ThreadArguments[1] = {
    isOpen: !isArchived,
    add: (text, isInternal) => addClientMessage(actor, clientId, { text, isInternal }),
    withdraw: (messageId) => withdrawClientMessage(actor, clientId, messageId),
    count: () => countClientMessages(actor, clientId),
    list: async (from, total) => (await listClientMessages(actor, clientId, { from, total })).items,
    unread: () => unreadWith(actor, clientId),
    markRead: () => markMessagesRead(actor, clientId),
    recipients: async () =>
      actor.staff
        ? await recipientsOf(actor, clientId, { kind: 'comment', maySee: seesMessages })
        : undefined,
  };
  return threadPage(page, thread, context);
}
