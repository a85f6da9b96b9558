import type { Actor } from '#features/base/people/people.ts';
import { rowPages } from '#platform/database/row-pages.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { messagesOf } from './scope.server.ts';

/**
 * The messages with a client in an export of all data, in their order. The notes of the firm are in an export of the whole
 * firm only.
 */
export const exportedMessages: Contributions['exports'][number] = {
  of: 'client',
  name: 'client-messages.csv',
  text: ({ clientId }) => text('client-messages', clientId === null ? 'exportFileNotes' : 'exportFile'),
  content: ({ actor, clientId, lang }, { ids }) =>
    exportedTable(
      lang,
      ['at', 'name', 'isByFirm', 'isInternal', 'isDeleted', 'text'],
      messageRows(actor, ids, clientId === null),
    ),
};

async function* messageRows(actor: Actor, clientIds: readonly string[], withNotes: boolean) {
  const pages = rowPages(
    ['client_messages.client_id', 'client_messages.created_at', 'client_messages.message_id'],
    (page) =>
      messagesOf(actor)
        .innerJoin('contacts', 'contacts.contact_id', 'client_messages.created_by')
        .selectAll('client_messages')
        .select('contacts.full_name')
        .where('client_messages.client_id', 'in', clientIds)
        .$if(!withNotes, (messages) => messages.where('client_messages.is_internal', '=', 0))
        .$call(page)
        .execute(),
  );
  for await (const rows of pages)
    for (const row of rows)
      yield {
        at: { at: row.created_at },
        name: row.full_name,
        isByFirm: row.by_staff === 1,
        isInternal: row.is_internal === 1,
        isDeleted: row.withdrawn_at !== null,
        text: row.body === null ? '' : decryptFrom('client_messages.body', row.message_id, row.body),
      };
}
