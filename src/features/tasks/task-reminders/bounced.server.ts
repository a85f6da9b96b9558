import { db } from '#platform/database/database.server.ts';

/** Reasons that lie with the portal's own mail server (mails/rules.ts), not with an address. */
const OURS = ['NO_SMTP_URL', 'EAUTH', 'ETLS', 'ENOAUTH', '530', '535', '534'];

/**
 * Those of these contacts whose address no longer receives mail: the newest mail to it whose fate is known bounced.
 * Nobody is reminded there, until one that staff sent again arrives or the address is corrected.
 */
export async function bouncedContacts(contactIds: readonly string[]): Promise<Set<string>> {
  if (contactIds.length === 0) return new Set();
  const rows = await db()
    .selectFrom('contacts')
    .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
    .innerJoin('mails', 'mails.recipient_key', 'users.email_key')
    .select('contacts.contact_id')
    .where('contacts.contact_id', 'in', contactIds)
    .where('mails.state', '=', 'bounced')
    .where((e) => e.or([e('mails.reason', 'is', null), e('mails.reason', 'not in', OURS)]))
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('mails as later')
            .select('later.mail_id')
            .whereRef('later.recipient_key', '=', 'mails.recipient_key')
            .whereRef('later.queued_at', '>', 'mails.queued_at')
            .where('later.state', 'in', ['accepted', 'opened', 'done']),
        ),
      ),
    )
    .distinct()
    .execute();
  return new Set(rows.map((row) => row.contact_id));
}
