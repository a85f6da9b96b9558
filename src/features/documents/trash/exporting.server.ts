import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';

/** The legal hold on a client and its reason, which the firm keeps from its clients. */
export const exportedHold: Contributions['exports'][number] = {
  of: 'client',
  name: 'legal-hold.csv',
  text: text('trash', 'exportHold'),
  isInternal: true,
  content: ({ lang }, { ids }) =>
    exportedTable(
      lang,
      ['at', 'by', 'reason', 'client'],
      eachRow(holdsOn(ids), (row) => ({
        client: row.client_id,
        at: { at: row.held_at },
        by: row.full_name,
        reason: decryptFrom('legal_holds.reason', row.client_id, row.reason),
      })),
    ),
};

const holdsOn = (clientIds: readonly string[]) =>
  rowPages(['legal_holds.client_id'], (page) =>
    db()
      .selectFrom('legal_holds')
      .leftJoin('contacts', 'contacts.contact_id', 'legal_holds.held_by')
      .selectAll('legal_holds')
      .select('contacts.full_name')
      .where('legal_holds.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );
