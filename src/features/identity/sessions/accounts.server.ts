import { accountNamed, accountsOf } from '#features/base/people/people.server.ts';
import type { Actor, Named, Session } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import type { Account } from './sessions.ts';

/**
 * Lists the accounts of the actor's user, one per firm, by the firm's name; `active` omits locked firms.
 * Staff who view as a contact see only the viewed account: the person's other firms are none of this firm's
 * business.
 */
export async function linkedAccounts(actor: Actor, { active = false } = {}): Promise<Account[]> {
  const rows = await db()
    .selectFrom('contacts')
    .innerJoin('firms', 'firms.company_id', 'contacts.company_id')
    .select(['contacts.contact_id', 'contacts.company_id', 'contacts.staff', 'firms.name', 'firms.locked'])
    .where('contacts.prism_guid', '=', actor.prismGuid)
    .where('contacts.removed_at', 'is', null)
    .$if(actor.viewedBy !== undefined, (query) => query.where('contacts.contact_id', '=', actor.contactId))
    .$if(active, (query) => query.where('firms.locked', '=', 0))
    .orderBy('firms.name')
    .orderBy('contacts.contact_id')
    .execute();
  return rows.map((row) => ({
    contactId: row.contact_id,
    companyId: row.company_id,
    companyName: row.name,
    staff: row.staff === 1,
    active: row.locked === 0,
    current: row.contact_id === actor.contactId,
  }));
}

/**
 * Finds the account of this person with access to what an address names: the current one if possible, else
 * another one in a firm that is not locked. Undefined if there is none. Staff who view as a contact get no
 * other account: they learn nothing of other firms.
 */
export async function accountFor({ actor, viewing }: Session, named: Named): Promise<Actor | undefined> {
  const present = await accountNamed([actor], named);
  if (present || viewing) return present;
  const others = (await accountsOf(actor.prismGuid)).filter(
    ({ contactId, firmLocked }) => contactId !== actor.contactId && !firmLocked,
  );
  return accountNamed(others, named);
}
