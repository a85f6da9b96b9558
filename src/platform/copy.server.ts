import { createHash } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import type { Tables } from './schema.server.ts';

/**
 * Every table with its key columns, in the order of copying: rows are copied after those that they reference.
 */
const KEYS = {
  firms: ['company_id'],
  themes: ['company_id'],
  users: ['prism_guid'],
  contacts: ['contact_id'],
  clients: ['client_id'],
  client_contacts: ['contact_id', 'client_id'],
  containers: ['container_id'],
  container_roles: ['contact_id', 'container_id'],
  item_locks: ['item_id', 'kind'],
  blobs: ['blob_key'],
  documents: ['document_id'],
  document_reads: ['document_id', 'contact_id'],
  comments: ['comment_id'],
  item_metadata: ['document_id', 'meta_key'],
  upload_notices: ['document_id'],
  notices: ['notice_key'],
  sessions: ['session_hash'],
  access_settings: ['company_id', 'contact_id', 'kind', 'name'],
  terms: ['company_id', 'version', 'language'],
  terms_acceptances: ['contact_id', 'version'],
  long_tokens: ['token_hash'],
  ended_sessions: ['session_hash'],
  kept_forms: ['form_hash'],
  password_resets: ['reset_id'],
  invitations: ['invitation_id'],
  rescue_codes: ['contact_id'],
  known_devices: ['device_key'],
  sign_in_transactions: ['transaction_hash'],
  login_tickets: ['ticket_hash'],
  totp_secrets: ['prism_guid'],
  passkeys: ['credential_id'],
  passkey_challenges: ['challenge_hash'],
  recovery_codes: ['code_hash'],
  pending_sign_ins: ['pending_hash'],
  identities: ['issuer', 'subject_key'],
  oidc_payloads: ['model', 'id'],
  shares: ['share_id'],
  share_items: ['share_id', 'document_id'],
  share_containers: ['share_id', 'container_id'],
  share_clients: ['client_id', 'share_id'],
  share_recipients: ['recipient_id'],
  share_visits: ['visit_hash'],
  jobs: ['job_id'],
  limits: ['limit_key'],
  settings: ['name'],
  mailbox: ['mail_id'],
  audit_heads: ['company_id'],
  audit: ['company_id', 'seq'],
  views: ['view_id'],
  receipts: ['company_id', 'number'],
  exports: ['export_id'],
  share_domains: ['company_id', 'domain'],
  uploads: ['upload_id'],
  upload_parts: ['upload_id', 'number'],
} as const satisfies Record<keyof Tables, readonly string[]>;

type Table = keyof Tables;
type Row = Record<string, string | number | null>;
type AnyDatabase = Kysely<Tables>;

const TABLES = Object.keys(KEYS) as Table[];
const PAGE = 1000;

/**
 * Copies all rows into an empty database of the same schema, on any engine, as one consistent snapshot and in
 * one transaction. Returns the number of rows.
 */
export async function copyDatabase(
  from: AnyDatabase,
  to: AnyDatabase,
  fromPostgres: boolean,
): Promise<number> {
  const reading = from.transaction();
  return (fromPostgres ? reading.setIsolationLevel('repeatable read') : reading).execute((source) =>
    to.transaction().execute(async (target) => {
      let copied = 0;
      await sql`delete from settings`.execute(target); // the new database has generated secrets of its own
      for (const table of TABLES) {
        for await (const rows of pagesOf(source, table)) {
          const values = rows.map((row) => insertable(table, row));
          await target
            .insertInto(table)
            .values(values as never)
            .execute();
          copied += rows.length;
        }
      }
      await setParents(source, target);
      return copied;
    }),
  );
}

/**
 * A row without the columns that the target fills in (numbers and counts of documents and comments), and a
 * folder without its parent, which may be copied later.
 */
function insertable(table: Table, row: Row): Row {
  const { seq: _, comments_count: __, ...document } = row;
  if (table === 'documents') return document;
  return table === 'containers' ? { ...row, parent_id: null, document_count: 0 } : row;
}

async function setParents(source: AnyDatabase, target: AnyDatabase): Promise<void> {
  for await (const rows of pagesOf(source, 'containers')) {
    for (const row of rows) {
      if (row['parent_id'] !== null)
        await sql`update containers set parent_id = ${row['parent_id']} where container_id = ${row['container_id']}`.execute(
          target,
        );
    }
  }
}

/** An engine-independent digest of each table, to compare a copy with its source. */
export async function digestsOf(database: AnyDatabase): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const table of TABLES) {
    const digest = createHash('sha256');
    for await (const rows of pagesOf(database, table)) {
      for (const row of rows)
        digest.update(
          JSON.stringify(
            Object.entries(insertable(table, row))
              .concat(
                table === 'containers'
                  ? [
                      ['parent', row['parent_id'] ?? null],
                      ['count', row['document_count'] ?? null],
                    ]
                  : table === 'documents'
                    ? [['comments', row['comments_count'] ?? null]]
                    : [],
              )
              .toSorted(([a], [b]) => (a < b ? -1 : 1)),
          ),
        );
    }
    digests[table] = digest.digest('hex');
  }
  return digests;
}

/** Reads all rows of a table in key order, a thousand at a time. Each page is as of when it is read. */
export async function* pagesOf(source: AnyDatabase, table: Table): AsyncGenerator<Row[], void> {
  const key = KEYS[table];
  const names = sql.join(key.map((name) => sql.ref(name)));
  let last: Row | undefined;
  do {
    const after: Row | undefined = last;
    const beyond = after
      ? sql`where (${names}) > (${sql.join(key.map((name) => after[name] ?? null))})`
      : sql``;
    const { rows } =
      await sql<Row>`select * from ${sql.table(table)} ${beyond} order by ${names} limit ${PAGE}`.execute(
        source,
      );
    if (rows.length > 0) yield rows;
    last = rows.length < PAGE ? undefined : rows.at(-1);
  } while (last);
}
