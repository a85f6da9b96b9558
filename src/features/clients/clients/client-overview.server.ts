import { sql } from 'kysely';
import { invitedResponsible } from '#features/identity/invitations/invited-staff.server.ts';
import { assertActsFor, clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { nameOfInvited } from './list-choices.server.ts';

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

/** The names of the staff responsible for a client, then of those who were invited to be. */
export async function namesOfResponsible(actor: Actor, clientId: string, lang: Lang): Promise<string[]> {
  const rows = await db()
    .selectFrom('staff_clients')
    .innerJoin('contacts', 'contacts.contact_id', 'staff_clients.contact_id')
    .select('contacts.full_name')
    .where('staff_clients.client_id', '=', clientId)
    .where('is_responsible', '=', 1)
    .orderBy('contacts.full_name')
    .execute();
  const invited = (await invitedResponsible(actor.companyId)).get(clientId) ?? [];
  return [...rows.map((row) => row.full_name), ...invited.map((person) => nameOfInvited(lang, person))];
}

/** The names and numbers of clients, of those that the actor acts for. */
export const numbersOf = (
  actor: Actor,
  clientIds: readonly string[],
): Promise<{ name: string; code: string }[]> =>
  clientIdsOf(actor)
    .clearSelect()
    .select(['clients.name', 'clients.code'])
    .where('clients.client_id', 'in', clientIds)
    .orderBy('clients.name_key')
    .execute();
