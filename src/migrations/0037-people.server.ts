import { createHmac } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { SchemaChange } from './schema-change.server.ts';

/**
 * People removed from a firm, invitations of staff and of many people at once, changes of email addresses
 * that wait for confirmation, and the checklist of a firm's first day.
 */
export const people: SchemaChange = {
  sqlite: [
    `alter table contacts add column removed_at bigint`,
    `alter table invitations add column role text not null default ''`,
    `alter table invitations add column all_clients smallint not null default 1`,
    `alter table invitations add column batch_id text`,
    `alter table invitations add column mac text not null default ''`,
    `create index invitations_of_batch on invitations (batch_id, sent_at)`,
    `create index invitations_by_email on invitations (company_id, email_key)`,
    `create table invitation_batches (batch_id text primary key, company_id text not null references firms, created_by text not null references contacts, created_at bigint not null, total bigint not null, problems text not null, stopped text not null default '', finished_at bigint)`,
    `create index invitation_batches_of_firm on invitation_batches (company_id, created_at)`,
    `create table email_changes (change_id text primary key, company_id text not null references firms, prism_guid text not null references users, email text not null, email_key text not null, token_hash text not null unique, requested_by text not null references contacts, expires_at bigint not null)`,
    `create index email_changes_of_user on email_changes (prism_guid)`,
    `alter table firms add column mail_tested_at bigint`,
    `alter table firms add column first_day_done_at bigint`,
  ],
  postgres: [
    `alter table contacts add column removed_at bigint`,
    `alter table invitations add column role text collate "C" not null default ''`,
    `alter table invitations add column all_clients smallint not null default 1`,
    `alter table invitations add column batch_id text collate "C"`,
    `alter table invitations add column mac text collate "C" not null default ''`,
    `create index invitations_of_batch on invitations (batch_id, sent_at)`,
    `create index invitations_by_email on invitations (company_id, email_key)`,
    `create table invitation_batches (batch_id text collate "C" primary key, company_id text collate "C" not null references firms, created_by text collate "C" not null references contacts, created_at bigint not null, total bigint not null, problems text collate "C" not null, stopped text collate "C" not null default '', finished_at bigint)`,
    `create index invitation_batches_of_firm on invitation_batches (company_id, created_at)`,
    `create table email_changes (change_id text collate "C" primary key, company_id text collate "C" not null references firms, prism_guid text collate "C" not null references users, email text collate "C" not null, email_key text collate "C" not null, token_hash text collate "C" not null unique, requested_by text collate "C" not null references contacts, expires_at bigint not null)`,
    `create index email_changes_of_user on email_changes (prism_guid)`,
    `alter table firms add column mail_tested_at bigint`,
    `alter table firms add column first_day_done_at bigint`,
  ],
  convert: coverInvitations,
};

/** Writes the MACs of invitations that can still be accepted. */
async function coverInvitations(db: Kysely<never>): Promise<void> {
  const stored = await sql<{ value: string }>`select value from settings where name = 'index-key'`.execute(
    db,
  );
  const [setting] = stored.rows;
  if (!setting) return; // a new database: it has no invitations yet
  const key = decryptFrom('settings.value', 'index-key', setting.value);
  const open = await sql<{
    id: string;
    company: string;
    email: string;
    clients: string;
  }>`select invitation_id as id, company_id as company, email_key as email, client_ids as clients
    from invitations where accepted_at is null and revoked_at is null`.execute(db);
  for (const { id, company, email, clients } of open.rows) {
    const text = `invitation:${id}:${company}:${email}::all:${clients}`;
    const mac = createHmac('sha256', key).update(text).digest('base64url');
    await sql`update invitations set mac = ${mac} where invitation_id = ${id}`.execute(db);
  }
}
