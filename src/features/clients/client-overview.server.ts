import { sql } from 'kysely';
import { assertActsFor } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { db } from '#platform/database.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import { PortalError } from '#platform/errors.server.ts';

/** A contact of a client, as the client's page shows it. */
export interface ContactOfClient {
  contactId: string;
  fullName: string;
  emailAddress: string;
  /** Documents of the client that this contact has not read. */
  unread: number;
}

/** Lists the contacts of a client by name. FORBIDDEN for contacts. */
export async function contactsOfClient(actor: Actor, clientId: string): Promise<ContactOfClient[]> {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  await assertActsFor(actor, clientId);
  const rows = await db()
    .selectFrom('client_contacts')
    .innerJoin('contacts', 'contacts.contact_id', 'client_contacts.contact_id')
    .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
    .select([
      'contacts.contact_id',
      'contacts.full_name',
      'users.prism_guid',
      'users.email',
      sql<number>`(select count(*) from unread where unread.contact_id = contacts.contact_id and unread.client_id = client_contacts.client_id)`.as(
        'unread',
      ),
    ])
    .where('client_contacts.client_id', '=', clientId)
    .orderBy('contacts.full_name')
    .execute();
  return rows.map((row) => ({
    contactId: row.contact_id,
    fullName: row.full_name,
    emailAddress: decryptFrom('users.email', row.prism_guid, row.email),
    unread: Number(row.unread),
  }));
}

/** The names of the staff responsible for a client. */
export async function namesOfResponsible(clientId: string): Promise<string[]> {
  const rows = await db()
    .selectFrom('staff_clients')
    .innerJoin('contacts', 'contacts.contact_id', 'staff_clients.contact_id')
    .select('contacts.full_name')
    .where('staff_clients.client_id', '=', clientId)
    .where('is_responsible', '=', 1)
    .orderBy('contacts.full_name')
    .execute();
  return rows.map((row) => row.full_name);
}
