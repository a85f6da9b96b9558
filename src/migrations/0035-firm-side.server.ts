import { createHmac } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { SchemaChange } from './schema-change.server.ts';

/**
 * Roles of staff, the clients assigned to them, suspended people, and the data of clients that the firm
 * keeps. Staff of before are owners if they could change the firm's settings, managers if they could invite,
 * else members.
 */
export const firmSide: SchemaChange = {
  sqlite: [
    `alter table contacts add column role text not null default ''`,
    `alter table contacts add column all_clients smallint not null default 1`,
    `alter table contacts add column suspended_at bigint`,
    `create table staff_clients (contact_id text not null references contacts, client_id text not null references clients, is_responsible smallint not null default 0, mac text not null, primary key (contact_id, client_id))`,
    `create index staff_of_client on staff_clients (client_id, is_responsible)`,
    `alter table clients add column language text not null default ''`,
    `alter table clients add column year_end text not null default ''`,
    `alter table clients add column address text`,
    `alter table clients add column archived_at bigint`,
    `alter table clients add column merged_into text references clients`,
    `create table client_tax_ids (client_id text not null references clients, kind text not null, value text not null, value_key text not null, primary key (client_id, kind))`,
    `create index client_tax_ids_by_value on client_tax_ids (value_key)`,
    `create table client_tags (client_id text not null references clients, tag_key text not null, tag text not null, company_id text not null references firms, primary key (client_id, tag_key))`,
    `create index clients_by_tag on client_tags (company_id, tag_key, client_id)`,
    ...rolesOfBefore(),
  ],
  postgres: [
    `alter table contacts add column role text collate "C" not null default ''`,
    `alter table contacts add column all_clients smallint not null default 1`,
    `alter table contacts add column suspended_at bigint`,
    `create table staff_clients (contact_id text collate "C" not null references contacts, client_id text collate "C" not null references clients, is_responsible smallint not null default 0, mac text collate "C" not null, primary key (contact_id, client_id))`,
    `create index staff_of_client on staff_clients (client_id, is_responsible)`,
    `alter table clients add column language text collate "C" not null default ''`,
    `alter table clients add column year_end text collate "C" not null default ''`,
    `alter table clients add column address text collate "C"`,
    `alter table clients add column archived_at bigint`,
    `alter table clients add column merged_into text collate "C" references clients`,
    `create table client_tax_ids (client_id text collate "C" not null references clients, kind text collate "C" not null, value text collate "C" not null, value_key text collate "C" not null, primary key (client_id, kind))`,
    `create index client_tax_ids_by_value on client_tax_ids (value_key)`,
    `create table client_tags (client_id text collate "C" not null references clients, tag_key text collate "C" not null, tag text collate "C" not null, company_id text collate "C" not null references firms, primary key (client_id, tag_key))`,
    `create index clients_by_tag on client_tags (company_id, tag_key, client_id)`,
    ...rolesOfBefore(),
  ],
  convert: coverRoles,
};

function rolesOfBefore(): string[] {
  const granted = (name: string): string =>
    `exists (select 1 from access_settings where access_settings.contact_id = contacts.contact_id and access_settings.company_id = contacts.company_id and kind = 'permission' and name = '${name}' and granted = 1)`;
  return [
    `update contacts set role = case when ${granted('ManageFirm')} then 'owner' when ${granted('ManageContacts')} then 'manager' else 'member' end where staff = 1`,
  ];
}

/** Renews the MACs of staff, which cover the role from now on; one that was wrong stays wrong. */
async function coverRoles(db: Kysely<never>): Promise<void> {
  const stored = await sql<{ value: string }>`select value from settings where name = 'index-key'`.execute(
    db,
  );
  const [setting] = stored.rows;
  if (!setting) return; // a new database: it has no people yet
  const key = decryptFrom('settings.value', 'index-key', setting.value);
  const digest = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  const staff = await sql<{
    contact_id: string;
    company_id: string;
    prism_guid: string;
    role: string;
    mac: string;
  }>`select contact_id, company_id, prism_guid, role, mac from contacts where staff = 1`.execute(db);
  for (const { contact_id: id, company_id: company, prism_guid: user, role, mac } of staff.rows) {
    const before = `contact:${id}:${company}:${user}:1`;
    if (mac === digest(before))
      await sql`update contacts set mac = ${digest(`${before}:${role}:all`)} where contact_id = ${id}`.execute(
        db,
      );
  }
}
