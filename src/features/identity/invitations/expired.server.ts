import { DAY, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { invitationExpired } from './events.server.ts';
import { responsibleIdsIn } from './invited-staff.server.ts';

const RECENT = 2 * DAY;

/** Announces the invitations of all firms that expired within the last two days without an answer. */
export async function announceExpired(): Promise<void> {
  const rows = await db()
    .selectFrom('invitations')
    .select(['invitation_id', 'company_id', 'invited_by', 'email', 'responsible_ids'])
    .where('expires_at', '<=', now())
    .where('expires_at', '>', now() - RECENT)
    .where('sent_at', '>', 0)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .execute();
  for (const row of rows)
    await invitationExpired.announce({
      invitationId: row.invitation_id,
      companyId: row.company_id,
      invitedBy: row.invited_by,
      email: decryptFrom('invitations.email', row.invitation_id, row.email),
      responsible: responsibleIdsIn(row).length,
    });
}
