import { createHmac } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { SchemaChange } from './schema-change.server.ts';

/** Adds MACs to access settings, in the format of that time. */
export const accessMacs: SchemaChange = {
  sqlite: [`alter table access_settings add column mac text not null default ''`],
  postgres: [`alter table access_settings add column mac text collate "C" not null default ''`],
  convert: addAccessMacs,
};

async function addAccessMacs(db: Kysely<never>): Promise<void> {
  const stored = await sql<{ value: string }>`select value from settings where name = 'index-key'`.execute(
    db,
  );
  const [row] = stored.rows;
  if (!row) return; // a new database: it has no settings yet
  const key = decryptFrom('settings.value', 'index-key', row.value);
  const settings = await sql<{
    company: string;
    contact: string;
    kind: string;
    name: string;
    granted: number;
  }>`select company_id as company, contact_id as contact, kind, name, granted from access_settings`.execute(
    db,
  );
  for (const { company, contact, kind, name, granted } of settings.rows) {
    const text = `access:${company}:${contact}:${kind}:${name}:${granted}`;
    const mac = createHmac('sha256', key).update(text).digest('base64url');
    await sql`update access_settings set mac = ${mac} where company_id = ${company} and contact_id = ${contact} and kind = ${kind} and name = ${name}`.execute(
      db,
    );
  }
}
