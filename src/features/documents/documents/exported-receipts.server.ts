import { senderText } from '#features/base/people/sender-text.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { sendersOf } from './senders.server.ts';

/** The confirmations that the portal issued. Their hashes are a chain over all of the firm. */
export const exportedReceipts: Contributions['exports'][number] = {
  of: 'export',
  name: 'receipts.csv',
  text: text('documents', 'exportReceipts'),
  content: ({ lang, firm }, clientIds) =>
    exportedTable(
      lang,
      [
        'number',
        'at',
        'kind',
        'documentName',
        'size',
        'sha256',
        'name',
        'code',
        'hash',
        'document',
        'client',
        'actor',
      ],
      receiptRows(lang, firm.companyId, clientIds),
    ),
};

async function* receiptRows(lang: Lang, companyId: string, clientIds: readonly string[] | null) {
  const pages = rowPages(['receipts.number'], (page) =>
    db()
      .selectFrom('receipts')
      .leftJoin('contacts', 'contacts.contact_id', 'receipts.actor')
      .selectAll('receipts')
      .select('contacts.full_name')
      .where('receipts.company_id', '=', companyId)
      .$if(clientIds !== null, (all) => all.where('receipts.client_id', 'in', clientIds ?? []))
      .$call(page)
      .execute(),
  );
  for await (const rows of pages) {
    const senders = await sendersOf(
      rows.filter(({ kind }) => kind === 'upload').map((row) => row.document_id),
    );
    for (const row of rows) {
      const sender = row.kind === 'upload' ? senders.get(row.document_id) : undefined;
      yield {
        number: row.number,
        at: { at: row.at },
        kind: { word: row.kind },
        document: row.document_id,
        documentName: row.name,
        size: row.size,
        sha256: row.sha256,
        client: row.client_id,
        actor: row.actor,
        name: sender ? senderText(lang, sender.who, sender.askedBy) : row.full_name,
        code: row.code,
        hash: row.hash,
      };
    }
  }
}
