import { createHmac } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { decrypt, keyIds, newToken } from '#platform/security/crypto.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import type { EncryptedColumn } from '#platform/database/schema.server.ts';
import type { SchemaChange } from './schema-change.server.ts';

/** Encrypts what earlier versions stored in plain text. */
export const atRest: SchemaChange = {
  sqlite: [
    `create table blobs (blob_key text primary key, size bigint not null, wrapped_key text, created_at bigint not null)`,
    `insert into blobs select blob_key, size, null, created_at from documents`,
    `delete from oidc_payloads`,
  ],
  postgres: [
    `create table blobs (blob_key text collate "C" primary key, size bigint not null, wrapped_key text collate "C", created_at bigint not null)`,
    `insert into blobs select blob_key, size, null, created_at from documents`,
    `delete from oidc_payloads`,
  ],
  convert: encryptExistingRows,
};

async function encryptExistingRows(db: Kysely<never>): Promise<void> {
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
