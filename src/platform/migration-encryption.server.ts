import { createHmac } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { keyIds, newToken, decrypt } from './crypto.server.ts';
import { encryptFor, decryptFrom } from './encryption.server.ts';
import type { EncryptedColumn } from './schema.server.ts';

/**
 * Part of migration 0002-at-rest: encrypts what earlier versions stored in plain text or encrypted without
 * key id and row, and adds a blind index for users' e-mail addresses.
 */
export async function encryptExistingRows(db: Kysely<never>): Promise<void> {
  const signingKey = await sql<{
    name: string;
    value: string;
  }>`select name, value from settings where name = 'oidc-signing-key'`.execute(db);
  for (const { name, value } of signingKey.rows)
    await put(db, 'settings.value', 'name', name, opened(value, name));
  const indexKey = newToken();
  await sql`insert into settings (name, value) values ('index-key', ${encryptFor('settings.value', 'index-key', indexKey)})`.execute(
    db,
  );

  const users = await sql<{
    prism_guid: string;
    email: string;
    email_key: string;
  }>`select prism_guid, email, email_key from users`.execute(db);
  for (const { prism_guid: id, email, email_key: key } of users.rows) {
    await put(db, 'users.email', 'prism_guid', id, email);
    await sql`update users set email_key = ${createHmac('sha256', indexKey).update(key).digest('base64url')} where prism_guid = ${id}`.execute(
      db,
    );
  }
  const jobs = await sql<{
    job_id: string;
    payload: string;
  }>`select job_id, payload from jobs where payload <> ''`.execute(db);
  for (const { job_id: id, payload } of jobs.rows)
    await put(db, 'jobs.payload', 'job_id', id, opened(payload, id));
  await encryptColumn(db, 'shares', 'share_id', 'subject');
  await encryptColumn(db, 'shares', 'share_id', 'message');
  await encryptColumn(db, 'share_recipients', 'recipient_id', 'email');
  await encryptColumn(db, 'mailbox', 'mail_id', 'recipients');
  await encryptColumn(db, 'mailbox', 'mail_id', 'raw');
}

/** Migration 0031-rights-macs: adds MACs to contacts and their client links, in the format of that time. */
export async function addRightsMacs(db: Kysely<never>): Promise<void> {
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

/** Decrypts values of the first version, which had no key id and were bound to the row id only. */
const opened = (encrypted: string, place: string): string => decrypt(`${keyIds()[0]}.${encrypted}`, place);

async function encryptColumn(db: Kysely<never>, table: string, id: string, column: string): Promise<void> {
  const rows = await sql<{
    id: string;
    text: string;
  }>`select ${sql.ref(id)} as id, ${sql.ref(column)} as text from ${sql.table(table)}`.execute(db);
  for (const row of rows.rows) await put(db, `${table}.${column}` as EncryptedColumn, id, row.id, row.text);
}

async function put(
  db: Kysely<never>,
  column: EncryptedColumn,
  idColumn: string,
  id: string,
  text: string,
): Promise<void> {
  const [table = '', name = ''] = column.split('.');
  await sql`update ${sql.table(table)} set ${sql.ref(name)} = ${encryptFor(column, id, text)} where ${sql.ref(idColumn)} = ${id}`.execute(
    db,
  );
}
