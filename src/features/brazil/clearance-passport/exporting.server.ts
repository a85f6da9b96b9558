import { agencyName } from '#features/brazil/clearance-certificates/agency-names.server.ts';
import { db } from '#platform/database/database.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { decrypted } from './internal/rows.server.ts';

/** The passports of clients, in an export of all data. What opens them is not in it. */
export const exportedPassports: Contributions['exports'] = [
  {
    of: 'client',
    name: 'clearance-passports.csv',
    text: text('clearance-passport', 'exportPassports'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        [
          'recipient',
          'name',
          'createdAt',
          'createdBy',
          'expiresAt',
          'revokedAt',
          'opens',
          'lastOpenedAt',
          'client',
          'id',
        ],
        eachRow(passportsIn(ids), (row) => {
          const { recipient, agencyIds } = decrypted(row);
          return {
            id: row.passport_id,
            client: row.client_id,
            recipient,
            name: agencyIds.map((id) => agencyName(lang, id)).join(', '),
            createdAt: { at: row.made_at },
            createdBy: row.full_name ?? row.made_by,
            expiresAt: { at: row.expires_at },
            revokedAt: { at: row.revoked_at },
            opens: row.openings,
            lastOpenedAt: { at: row.last_opened_at },
          };
        }),
      ),
  },
];

const passportsIn = (clientIds: readonly string[]) =>
  rowPages(['cnd_passports.passport_id'], (page) =>
    db()
      .selectFrom('cnd_passports')
      .leftJoin('contacts', 'contacts.contact_id', 'cnd_passports.made_by')
      .selectAll('cnd_passports')
      .select('contacts.full_name')
      .where('cnd_passports.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );
