import { db } from '#platform/database.server.ts';
import { blindIndex } from '#platform/settings.server.ts';

/*
 * Staff status and links to clients are stored with a message authentication code (MAC). Its key is encrypted
 * with KEY_FILE: somebody who has only the database can change a row, but cannot compute its MAC.
 */

/** The MAC of a contact: its firm, its user and whether it is staff. */
export const contactMac = (contact: {
  contactId: string;
  companyId: string;
  prismGuid: string;
  staff: boolean;
}): Promise<string> =>
  blindIndex(
    `contact:${contact.contactId}:${contact.companyId}:${contact.prismGuid}:${contact.staff ? 1 : 0}`,
  );

/** The MAC of a contact's link to a client. */
export const linkMac = (clientId: string, contactId: string): Promise<string> =>
  blindIndex(`link:${clientId}:${contactId}`);

export interface RightsFault {
  companyId: string;
  contactId: string;
  /** The client of the added or changed link; undefined if the contact itself was changed. */
  clientId?: string;
}

/** Verifies the MACs of contacts and links. Returns the number of compared rows, and those that differ. */
export async function verifyRights(): Promise<{ rows: number; faults: RightsFault[] }> {
  const faults: RightsFault[] = [];
  const contacts = await db()
    .selectFrom('contacts')
    .select(['contact_id', 'company_id', 'prism_guid', 'staff', 'mac'])
    .orderBy('contact_id')
    .execute();
  for (const {
    contact_id: contactId,
    company_id: companyId,
    prism_guid: prismGuid,
    staff,
    mac,
  } of contacts) {
    if (mac !== (await contactMac({ contactId, companyId, prismGuid, staff: staff === 1 })))
      faults.push({ companyId, contactId });
  }
  const companies = new Map(contacts.map(({ contact_id, company_id }) => [contact_id, company_id]));
  const links = await db()
    .selectFrom('client_contacts')
    .select(['client_id', 'contact_id', 'mac'])
    .orderBy('contact_id')
    .orderBy('client_id')
    .execute();
  for (const { client_id: clientId, contact_id: contactId, mac } of links) {
    if (mac !== (await linkMac(clientId, contactId)))
      faults.push({ companyId: companies.get(contactId) ?? '', contactId, clientId });
  }
  return { rows: contacts.length + links.length, faults };
}
