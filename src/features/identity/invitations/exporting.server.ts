import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { clientsIn } from './invited-staff.server.ts';

/** Who was invited to act for clients; to the team, too, in an export of the whole firm. */
export const exportedInvitations: Contributions['exports'][number] = {
  of: 'export',
  name: 'invitations.csv',
  text: text('directory', 'exportInvitations'),
  content: ({ lang, firm }, clientIds) =>
    exportedTable(
      lang,
      [
        'name',
        'email',
        'role',
        'createdAt',
        'createdBy',
        'sentAt',
        'expiresAt',
        'acceptedAt',
        'revokedAt',
        'id',
        'client',
      ],
      invitationRows(firm.companyId, clientIds),
    ),
};

/** The clients are named by their ids in a column of each invitation, so that all of a firm are read once. */
async function* invitationRows(companyId: string, clientIds: readonly string[] | null) {
  const pages = rowPages(['invitations.created_at', 'invitations.invitation_id'], (page) =>
    db()
      .selectFrom('invitations')
      .leftJoin('contacts', 'contacts.contact_id', 'invitations.invited_by')
      .selectAll('invitations')
      .select('contacts.full_name')
      .where('invitations.company_id', '=', companyId)
      .$call(page)
      .execute(),
  );
  for await (const rows of pages)
    for (const row of rows) {
      const clients = clientsIn(row).filter((id) => clientIds?.includes(id) ?? true);
      if (clientIds !== null && (clients.length === 0 || row.role !== '')) continue;
      yield {
        id: row.invitation_id,
        name: `${row.first_name} ${row.last_name}`.trim(),
        email: decryptFrom('invitations.email', row.invitation_id, row.email),
        role: { word: row.role },
        client: clients.join(' '),
        createdAt: { at: row.created_at },
        createdBy: row.full_name,
        sentAt: { at: row.sent_at === 0 ? null : row.sent_at },
        expiresAt: { at: row.sent_at === 0 ? null : row.expires_at },
        acceptedAt: { at: row.accepted_at },
        revokedAt: { at: row.revoked_at },
      };
    }
}
