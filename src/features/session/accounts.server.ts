import type { Actor } from '#features/people/people.ts';
import { db } from '#platform/database.server.ts';
import type { Account } from './session.ts';

/** The contacts that the one who acts is, one per firm, by the firm's name; `active` leaves out firms that are closed. */
export async function linkedAccounts(actor: Actor, { active = false } = {}): Promise<Account[]> {
  const rows = await db()
    .selectFrom('contacts')
    .innerJoin('firms', 'firms.company_id', 'contacts.company_id')
    .select(['contacts.contact_id', 'contacts.company_id', 'contacts.staff', 'firms.name', 'firms.locked'])
    .where('contacts.prism_guid', '=', actor.prismGuid)
    .$if(active, (query) => query.where('firms.locked', '=', 0))
    .orderBy('firms.name')
    .orderBy('contacts.contact_id')
    .execute();
  return rows.map((row) => ({ contactId: row.contact_id, companyId: row.company_id, companyName: row.name, staff: row.staff === 1, active: row.locked === 0, current: row.contact_id === actor.contactId }));
}
