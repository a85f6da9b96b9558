import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { isWithFirm } from '#features/documents/documents/unsubmitted.server.ts';
import { text } from '#platform/text/texts.server.ts';

/** The comments on the documents of a client in an export of all data. */
export const exportedComments: Contributions['exports'][number] = {
  of: 'client',
  name: 'comments.csv',
  text: text('notes', 'exportFile'),
  content: ({ lang }, { ids, pathOf }) =>
    exportedTable(
      lang,
      ['documentName', 'path', 'at', 'name', 'isByFirm', 'text', 'document'],
      eachRow(commentsOn(ids), (row) => ({
        document: row.document_id,
        documentName: row.name,
        path: pathOf(row.document_id),
        at: { at: row.created_at },
        name: row.full_name,
        isByFirm: row.by_staff === 1,
        text: decryptFrom('comments.body', row.comment_id, row.body),
      })),
    ),
};

/** By the documents of the clients, by which comments are found. */
const commentsOn = (clientIds: readonly string[]) =>
  rowPages(['comments.document_id', 'comments.created_at', 'comments.comment_id'], (page) =>
    db()
      .selectFrom('comments')
      .innerJoin('documents', 'documents.document_id', 'comments.document_id')
      .leftJoin('contacts', 'contacts.contact_id', 'comments.created_by')
      .selectAll('comments')
      .select(['documents.name', 'contacts.full_name'])
      .where('comments.document_id', 'in', (e) =>
        e
          .selectFrom('documents as own')
          .select('own.document_id')
          .where('own.client_id', 'in', clientIds)
          .where('own.deleted_at', 'is', null),
      )
      .where(isWithFirm)
      .$call(page)
      .execute(),
  );
