import { db } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { isWithFirm } from './unsubmitted.server.ts';

/** Who has read which documents of a client, and what programs have stored about them. */
export const exportedDetails: Contributions['exports'] = [
  {
    of: 'client',
    name: 'document-reads.csv',
    text: text('documents', 'exportReads'),
    content: ({ lang }, { ids, pathOf }) =>
      exportedTable(
        lang,
        ['documentName', 'path', 'contactName', 'readAt', 'document', 'contact'],
        eachRow(readsOf(ids), (row) => ({
          document: row.document_id,
          documentName: row.name,
          path: pathOf(row.document_id),
          contact: row.contact_id,
          contactName: row.full_name,
          readAt: { at: row.read_at },
        })),
      ),
  },
  {
    of: 'client',
    name: 'document-metadata.csv',
    text: text('documents', 'exportMetadata'),
    content: ({ lang }, { ids, pathOf }) =>
      exportedTable(
        lang,
        ['path', 'field', 'value', 'document'],
        eachRow(metadataOf(ids), (row) => ({
          document: row.document_id,
          path: pathOf(row.document_id),
          field: row.meta_key,
          value: row.meta_value,
        })),
      ),
  },
];

const readsOf = (clientIds: readonly string[]) =>
  rowPages(['document_reads.document_id', 'document_reads.contact_id'], (page) =>
    db()
      .selectFrom('document_reads')
      .innerJoin('documents', 'documents.document_id', 'document_reads.document_id')
      .leftJoin('contacts', 'contacts.contact_id', 'document_reads.contact_id')
      .selectAll('document_reads')
      .select(['documents.name', 'contacts.full_name'])
      .where('documents.client_id', 'in', clientIds)
      .where('documents.deleted_at', 'is', null)
      .where(isWithFirm)
      .$call(page)
      .execute(),
  );

const metadataOf = (clientIds: readonly string[]) =>
  rowPages(['item_metadata.document_id', 'item_metadata.meta_key'], (page) =>
    db()
      .selectFrom('item_metadata')
      .innerJoin('documents', 'documents.document_id', 'item_metadata.document_id')
      .selectAll('item_metadata')
      .where('item_metadata.client_id', 'in', clientIds)
      .where('documents.deleted_at', 'is', null)
      .where(isWithFirm)
      .$call(page)
      .execute(),
  );
