import { db } from '#platform/database/database.server.ts';

/** The member of staff who is responsible for a client, the first by name; undefined for none. */
export async function responsibleFor(
  clientId: string,
): Promise<{ contactId: string; fullName: string } | undefined> {
  const row = await db()
    .selectFrom('staff_clients')
    .innerJoin('contacts', 'contacts.contact_id', 'staff_clients.contact_id')
    .select(['contacts.contact_id', 'contacts.full_name'])
    .where('staff_clients.client_id', '=', clientId)
    .where('staff_clients.is_responsible', '=', 1)
    .where('contacts.suspended_at', 'is', null)
    .orderBy('contacts.full_name')
    .orderBy('contacts.contact_id')
    .executeTakeFirst();
  return row && { contactId: row.contact_id, fullName: row.full_name };
}
