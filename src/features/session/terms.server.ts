import type { Actor } from '#features/people/people.ts';
import { db } from '#platform/database.server.ts';

/** True when the firm has terms whose newest version this contact has not accepted. Staff are not asked. */
export async function termsAreDue(actor: Actor): Promise<boolean> {
  if (actor.staff) return false;
  const newest = await db().selectFrom('terms').select('version').where('company_id', '=', actor.companyId).orderBy('version', 'desc').limit(1).executeTakeFirst();
  if (!newest) return false;
  return !(await db().selectFrom('terms_acceptances').select('version').where('contact_id', '=', actor.contactId).where('version', '=', newest.version).executeTakeFirst());
}
