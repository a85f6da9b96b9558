import { db } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';

/** The certificates of a firm's seals, with which its sealed documents are verified. Their keys leave the portal in no export. */
export const exportedCertificates: Contributions['exports'][number] = {
  of: 'export',
  name: 'seal-certificates.csv',
  text: text('seals', 'exportFile'),
  content: ({ lang, firm }) =>
    exportedTable(
      lang,
      ['source', 'createdAt', 'expiresAt', 'sha256', 'value', 'id'],
      eachRow(certificatesOf(firm.companyId), (row) => ({
        id: row.key_id,
        source: row.origin,
        createdAt: { at: row.created_at },
        expiresAt: { at: row.valid_to },
        sha256: row.fingerprint,
        value: row.certificate,
      })),
    ),
};

const certificatesOf = (companyId: string) =>
  rowPages(['seal_keys.created_at', 'seal_keys.key_id'], (page) =>
    db()
      .selectFrom('seal_keys')
      .select(['key_id', 'origin', 'created_at', 'valid_to', 'fingerprint', 'certificate'])
      .where('company_id', '=', companyId)
      .$call(page)
      .execute(),
  );
