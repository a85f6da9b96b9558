import { DAY, now } from '#platform/clock.server.ts';
import { db } from '#platform/database.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';

const RECENT = 2 * DAY;

/** Lists the invitations of all firms that expired within the last two days without an answer. */
export async function expiredInvitations() {
  const rows = await db()
    .selectFrom('invitations')
    .select(['invitation_id', 'company_id', 'invited_by', 'email'])
    .where('expires_at', '<=', now())
    .where('expires_at', '>', now() - RECENT)
    .where('sent_at', '>', 0)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .execute();
  return rows.map((row) => ({
    invitationId: row.invitation_id,
    companyId: row.company_id,
    invitedBy: row.invited_by,
    email: decryptFrom('invitations.email', row.invitation_id, row.email),
  }));
}
