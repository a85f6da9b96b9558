import type { Selectable } from 'kysely';
import { db } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';
import { decidedSettings, settingKey } from './decided-settings.server.ts';

/*
 * Staff status and roles, links to clients, and access settings are stored with a message authentication code (MAC). Its
 * key is encrypted with KEY_FILE: somebody who has only the database can change a row, but cannot compute its MAC. A
 * deleted contact or link is not noticed: that takes rights away. A deleted setting may give one; what the audit log says
 * was decided reveals it, and an old row that was put back with its MAC.
 */

/** The columns that the MAC of a contact covers. */
type ContactRights = Pick<
  Selectable<Tables['contacts']>,
  'contact_id' | 'company_id' | 'prism_guid' | 'staff' | 'role' | 'all_clients' | 'suspended_at'
>;

/**
 * The MAC of a contact: its firm, its user, whether it is staff, with which role and for which clients, and
 * whether it is suspended. Write it with every change of these columns.
 */
export const contactMac = (row: ContactRights): Promise<string> =>
  blindIndex(
    [
      `contact:${row.contact_id}:${row.company_id}:${row.prism_guid}:${row.staff}`,
      ...(row.staff === 1 ? [row.role, row.all_clients === 1 ? 'all' : 'assigned'] : []),
      ...(row.suspended_at === null ? [] : ['suspended']),
    ].join(':'),
  );

/** The MAC of a client's assignment to a member of staff. */
export const assignmentMac = (clientId: string, contactId: string): Promise<string> =>
  blindIndex(`assignment:${clientId}:${contactId}`);

/** The MAC of a contact's link to a client. */
export const linkMac = (clientId: string, contactId: string): Promise<string> =>
  blindIndex(`link:${clientId}:${contactId}`);

/** The MAC of a setting for a contact, or with an empty `contact_id` for everybody in the firm. */
export const accessMac = ({
  company_id: companyId,
  contact_id: contactId,
  kind,
  name,
  granted,
}: Omit<Selectable<Tables['access_settings']>, 'mac'>): Promise<string> =>
  blindIndex(`access:${companyId}:${contactId}:${kind}:${name}:${granted}`);

export interface RightsFault {
  companyId: string;
  /** Empty for a setting for everybody in the firm. */
  contactId: string;
  /** The client of the added or changed link; undefined if the contact itself, or a setting was changed. */
  clientId?: string;
  /** The kind and name of the added, changed or deleted access setting. */
  setting?: string;
}

/**
 * Verifies the MACs of contacts, links and access settings, and the settings by the audit log, too. Returns the number of
 * compared rows, and those that differ.
 */
export async function verifyRights(): Promise<{ rows: number; faults: RightsFault[] }> {
  const faults: RightsFault[] = [];
  const contacts = await db().selectFrom('contacts').selectAll().orderBy('contact_id').execute();
  for (const row of contacts) {
    if (row.mac !== (await contactMac(row)))
      faults.push({ companyId: row.company_id, contactId: row.contact_id });
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
  const assignments = await db()
    .selectFrom('staff_clients')
    .selectAll()
    .orderBy('contact_id')
    .orderBy('client_id')
    .execute();
  for (const { client_id: clientId, contact_id: contactId, mac } of assignments) {
    if (mac !== (await assignmentMac(clientId, contactId)))
      faults.push({ companyId: companies.get(contactId) ?? '', contactId, clientId });
  }
  const settings = await compareSettings();
  // somebody may have changed a setting after it was read, and before the audit log was
  const again = settings.faults.length > 0 ? await compareSettings() : settings;
  return {
    rows: contacts.length + links.length + assignments.length + again.rows,
    faults: [...faults, ...again.faults],
  };
}

async function compareSettings(): Promise<{ rows: number; faults: RightsFault[] }> {
  const faults: RightsFault[] = [];
  const settings = await db()
    .selectFrom('access_settings')
    .selectAll()
    .orderBy('company_id')
    .orderBy('contact_id')
    .orderBy('kind')
    .orderBy('name')
    .execute();
  const decided = await decidedSettings();
  for (const row of settings) {
    const { company_id: companyId, contact_id: contactId, kind, name } = row;
    const key = settingKey({ companyId, contactId, kind, name });
    const to = decided.get(key)?.to;
    decided.delete(key);
    const isDecided = to === undefined || to === (row.granted === 1 ? 'granted' : 'refused');
    if (!isDecided || row.mac !== (await accessMac(row)))
      faults.push({ companyId, contactId, setting: `${kind} ${name}` });
  }
  for (const { companyId, contactId, kind, name, to } of decided.values())
    if (to !== 'usual') faults.push({ companyId, contactId, setting: `${kind} ${name}` });
  return { rows: settings.length, faults };
}
