import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';

/** What was shared of a client's documents, by whom, with whom, and whether they opened it. */
export const exportedShares: Contributions['exports'] = [
  {
    of: 'client',
    name: 'shares.csv',
    text: text('sharing', 'exportShares'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['createdAt', 'sender', 'subject', 'message', 'expiresAt', 'revokedAt', 'maxDownloads', 'share'],
        eachRow(sharesOf(ids), (row) => ({
          share: row.share_id,
          createdAt: { at: row.created_at },
          sender: row.full_name,
          subject: decryptFrom('shares.subject', row.share_id, row.subject),
          message: decryptFrom('shares.message', row.share_id, row.message),
          expiresAt: { at: row.expires_at },
          revokedAt: { at: row.revoked_at },
          maxDownloads: row.max_downloads,
        })),
      ),
  },
  {
    of: 'client',
    name: 'share-recipients.csv',
    text: text('sharing', 'exportRecipients'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        [
          'email',
          'name',
          'opens',
          'firstOpenedAt',
          'lastOpenedAt',
          'downloads',
          'revokedAt',
          'share',
          'recipientId',
        ],
        eachRow(recipientsOf(ids), (row) => ({
          share: row.share_id,
          recipientId: row.recipient_id,
          email: decryptFrom('share_recipients.email', row.recipient_id, row.email),
          name: row.name === null ? '' : decryptFrom('share_recipients.name', row.recipient_id, row.name),
          opens: row.opens,
          firstOpenedAt: { at: row.first_opened_at },
          lastOpenedAt: { at: row.last_opened_at },
          downloads: row.downloads,
          revokedAt: { at: row.revoked_at },
        })),
      ),
  },
  {
    of: 'client',
    name: 'shared-items.csv',
    text: text('sharing', 'exportItems'),
    content: ({ lang }, { ids, pathOf }) =>
      exportedTable(lang, ['name', 'path', 'share', 'document', 'folder'], sharedItems(ids, pathOf)),
  },
];

/** The shares with documents of clients. */
const idsOfShares = (clientIds: readonly string[]) =>
  db().selectFrom('share_clients').select('share_clients.share_id').where('client_id', 'in', clientIds);

const sharesOf = (clientIds: readonly string[]) =>
  rowPages(['shares.created_at', 'shares.share_id'], (page) =>
    db()
      .selectFrom('shares')
      .leftJoin('contacts', 'contacts.contact_id', 'shares.sender_contact_id')
      .selectAll('shares')
      .select('contacts.full_name')
      .where('shares.share_id', 'in', idsOfShares(clientIds))
      .$call(page)
      .execute(),
  );

const recipientsOf = (clientIds: readonly string[]) =>
  rowPages(['share_recipients.share_id', 'share_recipients.recipient_id'], (page) =>
    db()
      .selectFrom('share_recipients')
      .selectAll()
      .where('share_recipients.share_id', 'in', idsOfShares(clientIds))
      .$call(page)
      .execute(),
  );

/** The documents and folders of clients that were shared, which are still there. */
async function* sharedItems(clientIds: readonly string[], pathOf: (documentId: string) => string) {
  const documents = rowPages(['share_items.share_id', 'share_items.document_id'], (page) =>
    db()
      .selectFrom('share_items')
      .innerJoin('documents', 'documents.document_id', 'share_items.document_id')
      .select(['share_items.share_id', 'share_items.document_id', 'documents.name'])
      .where('share_items.share_id', 'in', idsOfShares(clientIds))
      .where('documents.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );
  yield* eachRow(documents, (row) => ({
    share: row.share_id,
    document: row.document_id,
    folder: '',
    name: row.name,
    path: pathOf(row.document_id),
  }));
  const folders = rowPages(['share_containers.share_id', 'share_containers.container_id'], (page) =>
    db()
      .selectFrom('share_containers')
      .innerJoin('containers', 'containers.container_id', 'share_containers.container_id')
      .select(['share_containers.share_id', 'share_containers.container_id', 'containers.name'])
      .where('share_containers.share_id', 'in', idsOfShares(clientIds))
      .where('containers.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );
  yield* eachRow(folders, (row) => ({
    share: row.share_id,
    document: '',
    folder: row.container_id,
    name: row.name,
    path: '',
  }));
}
