import { createHmac } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { SchemaChange } from './schema-change.server.ts';

/** Adds MACs to contacts and their client links, in the format of that time. */
export const rightsMacs: SchemaChange = {
  sqlite: [
    `alter table contacts add column mac text not null default ''`,
    `alter table client_contacts add column mac text not null default ''`,
  ],
  postgres: [
    `alter table contacts add column mac text collate "C" not null default ''`,
    `alter table client_contacts add column mac text collate "C" not null default ''`,
  ],
  convert: addRightsMacs,
};

async function addRightsMacs(db: Kysely<never>): Promise<void> {
  const stored = await sql<{ value: string }>`select value from settings where name = 'index-key'`.execute(
    db,
  );
  const [row] = stored.rows;
  if (!row) return; // a new database: it has no people yet
  const key = decryptFrom('settings.value', 'index-key', row.value);
  const digest = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  const contacts = await sql<{
    contact_id: string;
    company_id: string;
    prism_guid: string;
    staff: number;
  }>`select contact_id, company_id, prism_guid, staff from contacts`.execute(db);
  for (const { contact_id: id, company_id: company, prism_guid: user, staff } of contacts.rows) {
    await sql`update contacts set mac = ${digest(`contact:${id}:${company}:${user}:${staff}`)} where contact_id = ${id}`.execute(
      db,
    );
  }
  const links = await sql<{
    client_id: string;
    contact_id: string;
  }>`select client_id, contact_id from client_contacts`.execute(db);
  for (const { client_id: client, contact_id: contact } of links.rows) {
    await sql`update client_contacts set mac = ${digest(`link:${client}:${contact}`)} where client_id = ${client} and contact_id = ${contact}`.execute(
      db,
    );
  }
}
