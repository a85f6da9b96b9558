import { createHmac } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { keyIds, newToken, unseal } from './crypto.server.ts';
import { sealFor, type SealedColumn } from './sealed.server.ts';

/**
 * Part of the migration 0002-at-rest: seals what earlier versions kept as it was, and what they sealed without naming the key and the
 * row. The e-mail addresses of users get their keyed index.
 */
export async function sealWhatWasThere(db: Kysely<never>): Promise<void> {
  const signingKey = await sql<{ name: string; value: string }>`select name, value from settings where name = 'oidc-signing-key'`.execute(db);
  for (const { name, value } of signingKey.rows) await put(db, 'settings.value', 'name', name, opened(value, name));
  const indexKey = newToken();
  await sql`insert into settings (name, value) values ('index-key', ${sealFor('settings.value', 'index-key', indexKey)})`.execute(db);

  const users = await sql<{ prism_guid: string; email: string; email_key: string }>`select prism_guid, email, email_key from users`.execute(db);
  for (const { prism_guid: id, email, email_key: key } of users.rows) {
    await put(db, 'users.email', 'prism_guid', id, email);
    await sql`update users set email_key = ${createHmac('sha256', indexKey).update(key).digest('base64url')} where prism_guid = ${id}`.execute(db);
  }
  const jobs = await sql<{ job_id: string; payload: string }>`select job_id, payload from jobs where payload <> ''`.execute(db);
  for (const { job_id: id, payload } of jobs.rows) await put(db, 'jobs.payload', 'job_id', id, opened(payload, id));
  await sealColumn(db, 'shares', 'share_id', 'subject');
  await sealColumn(db, 'shares', 'share_id', 'message');
  await sealColumn(db, 'share_recipients', 'recipient_id', 'email');
  await sealColumn(db, 'mailbox', 'mail_id', 'recipients');
  await sealColumn(db, 'mailbox', 'mail_id', 'raw');
}

/** What the first version sealed: no key id before it, and its row's id as the place. */
const opened = (sealed: string, place: string): string => unseal(`${keyIds()[0]}.${sealed}`, place);

async function sealColumn(db: Kysely<never>, table: string, id: string, column: string): Promise<void> {
  const rows = await sql<{ id: string; text: string }>`select ${sql.ref(id)} as id, ${sql.ref(column)} as text from ${sql.table(table)}`.execute(db);
  for (const row of rows.rows) await put(db, `${table}.${column}` as SealedColumn, id, row.id, row.text);
}

async function put(db: Kysely<never>, column: SealedColumn, idColumn: string, id: string, text: string): Promise<void> {
  const [table = '', name = ''] = column.split('.');
  await sql`update ${sql.table(table)} set ${sql.ref(name)} = ${sealFor(column, id, text)} where ${sql.ref(idColumn)} = ${id}`.execute(db);
}
