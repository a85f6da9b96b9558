import { db, fold } from '#platform/database.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import type { Actor } from './people.ts';

/** The contact ids of the staff of the actor's firm by their folded email addresses; not the suspended. */
export async function staffByEmail(actor: Actor): Promise<Map<string, string>> {
  const rows = await db()
    .selectFrom('contacts')
    .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
    .select(['contacts.contact_id', 'users.prism_guid', 'users.email'])
    .where('contacts.company_id', '=', actor.companyId)
    .where('contacts.staff', '=', 1)
    .where('contacts.suspended_at', 'is', null)
    .execute();
  return new Map(
    rows.map(({ contact_id: id, prism_guid: user, email }) => [
      fold(decryptFrom('users.email', user, email)),
      id,
    ]),
  );
}
