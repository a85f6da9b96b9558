import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import {
  countComments,
  countDocuments,
  findBeginnings,
  findNames,
  insertOnly,
  keepUnread,
} from './triggers.server.ts';
import { addRightsMacs, encryptExistingRows } from './migration-encryption.server.ts';
import { indexWordBeginnings } from './word-beginnings.server.ts';

/*
 * The migrations of both engines, in the order of their names. A landed one is never changed. Text that is
 * compared or sorted is `collate "C"` on PostgreSQL, which is SQLite's own byte order.
 */
export function migrations(postgres: boolean): Record<string, Migration> {
  const text = postgres ? 'text collate "C"' : 'text';
  const identity = postgres
    ? 'bigint generated always as identity primary key'
    : 'integer primary key autoincrement';
  const run = async (db: Kysely<never>, statements: string): Promise<void> => {
    for (const statement of statements.split(';'))
      if (statement.trim() !== '') await sql.raw(statement.replaceAll(' text', ` ${text}`)).execute(db);
  };
  return {
    '0001-foundations': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `
create table firms (company_id text primary key, name text not null, phone text not null, email text not null, language text not null, locked smallint not null);
create table themes (company_id text primary key references firms, header_fill_color text not null, header_text_color text not null, button_fill_color text not null,
  button_text_color text not null, header_line1 text not null, login_page_text text not null, logo_key text, logo_type text, version text not null);
create table users (prism_guid text primary key, email text not null, email_key text not null unique, first_name text not null, last_name text not null,
  language text not null, password_hash text, mfa_required smallint not null, created_at bigint not null);
create table contacts (contact_id text primary key, company_id text not null references firms, prism_guid text not null references users, full_name text not null,
  staff smallint not null, created_at bigint not null, unique (company_id, prism_guid));
create index contacts_of_user on contacts (prism_guid);
create table clients (client_id text primary key, company_id text not null references firms, name text not null, name_key text not null, code text not null,
  kind text not null, created_at bigint not null);
create index clients_of_firm on clients (company_id, name_key);
create table client_contacts (client_id text not null references clients, contact_id text not null references contacts, primary key (contact_id, client_id));
create table containers (container_id text primary key, company_id text not null references firms, client_id text not null references clients, container_type text not null,
  parent_id text references containers, name text not null, name_key text not null, product_type text, processing_year smallint,
  created_by text not null, created_at bigint not null, modified_at bigint not null, unique (parent_id, name_key));
create unique index one_contact_folder on containers (client_id) where product_type = 'ClientContactFolder';
create index containers_of_client on containers (client_id, container_type);
create table documents (seq ${identity}, document_id text not null unique, company_id text not null references firms, client_id text not null references clients,
  container_id text not null references containers, name text not null, name_key text not null, mime_type text not null, size bigint not null, sha256 text not null,
  crc32 bigint not null, blob_key text not null unique, created_by text not null, uploaded_by_staff smallint not null,
  created_at bigint not null, modified_at bigint not null, deleted_at bigint);
create unique index document_names on documents (container_id, name_key) where deleted_at is null;
create index documents_by_date on documents (client_id, created_at, document_id) where deleted_at is null;
create index documents_by_name on documents (client_id, name_key, document_id) where deleted_at is null;
create index documents_by_size on documents (client_id, size, document_id) where deleted_at is null;
create table document_reads (document_id text not null references documents (document_id), contact_id text not null references contacts, read_at bigint not null,
  primary key (document_id, contact_id));
create table sessions (session_hash text primary key, prism_guid text not null references users, contact_id text not null references contacts,
  company_id text not null references firms, amr text not null, created_at bigint not null, last_seen_at bigint not null);
create table sign_in_transactions (transaction_hash text primary key, state text not null, nonce text not null, code_verifier text not null, redirect_uri text not null,
  return_to text not null, expires_at bigint not null);
create table login_tickets (ticket_hash text primary key, prism_guid text not null references users, expires_at bigint not null);
create table oidc_payloads (model text not null, id text not null, payload text not null, grant_id text, uid text, consumed_at bigint, expires_at bigint, primary key (model, id));
create index oidc_payloads_of_grant on oidc_payloads (grant_id);
create index oidc_payloads_by_uid on oidc_payloads (uid);
create table shares (share_id text primary key, company_id text not null references firms, sender_contact_id text not null references contacts, subject text not null,
  message text not null, language text not null, code_hash text, created_at bigint not null, expires_at bigint not null, revoked_at bigint);
create table share_items (share_id text not null references shares, document_id text not null references documents (document_id), primary key (share_id, document_id));
create table share_recipients (recipient_id text primary key, share_id text not null references shares, email text not null, token_hash text not null unique,
  opens bigint not null, first_opened_at bigint, code_tries bigint not null, code_paused_until bigint, asked_again_at bigint);
create index recipients_of_share on share_recipients (share_id);
create table share_visits (visit_hash text primary key, recipient_id text not null references share_recipients, expires_at bigint not null);
create table jobs (job_id text primary key, kind text not null, payload text not null, unique_key text unique, run_at bigint not null, attempts smallint not null,
  last_error text, created_at bigint not null, done_at bigint);
create index jobs_due on jobs (run_at) where done_at is null;
create table limits (limit_key text primary key, used bigint not null, resets_at bigint not null);
create table settings (name text primary key, value text not null);
create table mailbox (mail_id text primary key, received_at bigint not null, recipients text not null, raw text not null)
`,
        ),
    },
    '0002-at-rest': {
      up: async (db: Kysely<never>) => {
        await run(
          db,
          `
create table blobs (blob_key text primary key, size bigint not null, wrapped_key text, created_at bigint not null);
insert into blobs select blob_key, size, null, created_at from documents;
delete from oidc_payloads
`,
        );
        await encryptExistingRows(db);
      },
    },
    '0003-audit': {
      up: async (db: Kysely<never>) => {
        await run(
          db,
          `
create table audit_heads (company_id text primary key references firms, seq bigint not null, hash text not null);
create table audit (company_id text not null references firms, seq bigint not null, at bigint not null, actor text not null, action text not null, target text not null,
  details text not null, hash text not null, primary key (company_id, seq));
create index audit_by_actor on audit (company_id, actor, seq)
`,
        );
        await insertOnly(db, 'audit', postgres);
      },
    },
    '0004-document-counts': {
      up: async (db: Kysely<never>) => {
        await run(
          db,
          `
alter table containers add column document_count bigint not null default 0;
update containers set document_count = (select count(*) from documents where documents.container_id = containers.container_id and documents.deleted_at is null);
create index documents_of_container on documents (container_id, created_at, document_id) where deleted_at is null
`,
        );
        await countDocuments(db, postgres);
      },
    },
    // Ends all sessions: earlier ones do not record how their person signed in.
    '0005-who-is-here': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `
delete from sessions;
alter table sessions add column authenticated_at bigint not null default 0;
alter table sessions add column device text not null default '';
alter table sessions add column viewer_contact_id text references contacts;
alter table sessions add column view_reason text;
alter table sessions add column view_until bigint;
create index sessions_of_user on sessions (prism_guid);
create table access_settings (company_id text not null references firms, contact_id text not null, kind text not null, name text not null, granted smallint not null,
  primary key (company_id, contact_id, kind, name));
create table terms (company_id text not null references firms, version bigint not null, language text not null, body text not null, sha256 text not null,
  published_at bigint not null, primary key (company_id, version, language));
create table terms_acceptances (company_id text not null references firms, contact_id text not null references contacts, version bigint not null, language text not null,
  sha256 text not null, accepted_at bigint not null, primary key (contact_id, version))
`,
        ),
    },
    '0006-second-factors': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `
create table totp_secrets (prism_guid text primary key references users, secret text not null, last_step bigint not null, created_at bigint not null, confirmed_at bigint);
create table passkeys (credential_id text primary key, prism_guid text not null references users, name text not null, public_key text not null, algorithm text not null,
  counter bigint not null, created_at bigint not null, used_at bigint);
create index passkeys_of_user on passkeys (prism_guid);
create table passkey_challenges (challenge_hash text primary key, expires_at bigint not null);
create table recovery_codes (code_hash text primary key, prism_guid text not null references users, created_at bigint not null);
create index recovery_codes_of_user on recovery_codes (prism_guid);
create table pending_sign_ins (pending_hash text primary key, prism_guid text not null references users, amr text not null, return_to text not null, expires_at bigint not null);
alter table login_tickets add column amr text not null default '["pwd"]'
`,
        ),
    },
    '0007-invitations': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `
create table password_resets (reset_id text primary key, prism_guid text not null references users, token_hash text not null unique, expires_at bigint not null);
create index password_resets_of_user on password_resets (prism_guid);
create table invitations (invitation_id text primary key, company_id text not null references firms, email text not null, email_key text not null, first_name text not null,
  last_name text not null, language text not null, client_ids text not null, token_hash text not null unique, invited_by text not null references contacts,
  created_at bigint not null, sent_at bigint not null, expires_at bigint not null, accepted_at bigint, revoked_at bigint);
create index invitations_of_firm on invitations (company_id, created_at);
create table rescue_codes (contact_id text primary key references contacts, prism_guid text not null references users, code_hash text not null, issued_by text not null references contacts,
  expires_at bigint not null);
create table known_networks (network_key text primary key, prism_guid text not null references users, last_at bigint not null);
create index known_networks_by_age on known_networks (last_at);
alter table jobs add column company_id text references firms
`,
        ),
    },
    '0008-issuers': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `
create table identities (issuer text not null, subject_key text not null, prism_guid text not null references users, linked_at bigint not null,
  primary key (issuer, subject_key), unique (prism_guid, issuer))
`,
        ),
    },
    '0009-tokens': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `
alter table users add column last_contact_id text;
create table long_tokens (token_hash text primary key, token_id text not null unique, kind text not null, prism_guid text not null references users,
  contact_id text not null references contacts, company_id text not null references firms, amr text not null, authenticated_at bigint not null,
  session_since bigint not null, created_at bigint not null, expires_at bigint not null, used_at bigint);
create index long_tokens_of_user on long_tokens (prism_guid);
create table ended_sessions (session_hash text primary key, contact_id text not null references contacts, ended_at bigint not null);
create table kept_forms (form_hash text primary key, contact_id text not null references contacts, path text not null, fields text not null, expires_at bigint not null)
`,
        ),
    },
    '0011-themes': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `
alter table themes add column banner_key text;
alter table themes add column banner_type text;
alter table themes add column logout_url text;
alter table themes add column login_background text not null default 'clouds';
alter table themes add column announcement text not null default '';
alter table users add column prefix text not null default '';
alter table users add column middle_name text not null default '';
alter table users add column suffix text not null default ''
`,
        ),
    },
    '0012-nicknames': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `
alter table clients add column code_key text not null default '';
alter table clients add column doing_business_as text;
alter table clients add column nickname text;
alter table clients add column nickname_key text not null default '';
alter table clients add column modified_at bigint not null default 0;
update clients set code_key = lower(code), modified_at = created_at;
create index clients_by_code on clients (company_id, code_key)
`,
        ),
    },
    '0013-audit-anchors': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `
create table views (view_id text primary key, company_id text not null references firms, staff_contact_id text not null references contacts,
  contact_id text not null references contacts, reason text not null, started_at bigint not null);
alter table audit add column client_id text;
create index audit_by_client on audit (company_id, client_id, seq);
create index audit_by_target on audit (company_id, target, seq)
`,
        ),
    },
    '0014-trash': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `
alter table documents add column deleted_by text references contacts;
alter table documents add column purged_at bigint;
create index documents_in_trash on documents (client_id, deleted_at, document_id) where deleted_at is not null and purged_at is null;
create index documents_to_purge on documents (deleted_at) where deleted_at is not null and purged_at is null
`,
        ),
    },
    '0015-my-shares': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `
alter table shares add column max_downloads bigint;
alter table share_recipients add column revoked_at bigint;
alter table share_recipients add column last_opened_at bigint;
alter table share_recipients add column downloads bigint not null default 0;
update share_recipients set last_opened_at = first_opened_at;
create table share_containers (share_id text not null references shares, container_id text not null references containers, primary key (share_id, container_id));
create table share_clients (share_id text not null references shares, client_id text not null references clients, primary key (client_id, share_id));
create index clients_of_share on share_clients (share_id);
create index shares_of_sender on shares (sender_contact_id, created_at);
insert into share_clients (share_id, client_id) select distinct share_items.share_id, documents.client_id from share_items join documents on documents.document_id = share_items.document_id
`,
        ),
    },
    '0016-containers': {
      up: async (db: Kysely<never>) => {
        await run(
          db,
          `
create table container_roles (container_id text not null references containers, contact_id text not null references contacts, role text not null, primary key (contact_id, container_id));
create table item_locks (item_id text not null, kind text not null, level text not null, client_id text not null references clients, locked_by text not null references contacts,
  locked_at bigint not null, primary key (item_id, kind));
create index documents_of_container_by_size on documents (container_id, size, document_id) where deleted_at is null
`,
        );
        await findNames(db, postgres);
      },
    },
    '0017-exports-receipts': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `
create table exports (export_id text primary key, company_id text not null references firms, contact_id text not null references contacts,
  status text not null, files text not null, missing text not null, checked bigint not null, total bigint not null, size bigint not null,
  created_at bigint not null, ends_at bigint not null);
create index exports_by_end on exports (ends_at);
alter table audit_heads add column receipts bigint not null default 0;
alter table audit_heads add column receipts_hash text not null default '0000000000000000000000000000000000000000000000000000000000000000';
create table receipts (company_id text not null references firms, number bigint not null, kind text not null, document_id text not null,
  client_id text not null, name text not null, size bigint not null, sha256 text not null, actor text not null, at bigint not null,
  code text not null, hash text not null, primary key (company_id, number));
create index receipts_by_client on receipts (company_id, client_id, number);
create index receipts_by_number on receipts (number, code);
create index receipts_by_digest on receipts (sha256)
`,
        ),
    },
    '0019-uploads': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `
create table uploads (upload_id text primary key, company_id text not null references firms, client_id text not null references clients,
  contact_id text not null references contacts, container_id text not null, container_type text not null, into_uploads smallint not null,
  name text not null, on_conflict text not null, size bigint not null, received bigint not null, parts bigint not null, last_modified bigint,
  created_at bigint not null, expires_at bigint not null, document_id text);
alter table documents add column scan text;
create index uploads_of_contact on uploads (contact_id, expires_at);
create index uploads_by_end on uploads (expires_at);
create table upload_parts (upload_id text not null references uploads, number bigint not null, size bigint not null, blob_key text not null references blobs, primary key (upload_id, number))
`,
        ),
    },
    '0020-comments': {
      up: async (db: Kysely<never>) => {
        await run(
          db,
          `
alter table documents add column comments_count bigint not null default 0;
create table comments (comment_id text primary key, company_id text not null references firms, client_id text not null references clients,
  document_id text not null references documents (document_id), body text not null, created_by text not null references contacts, by_staff smallint not null, created_at bigint not null);
create index comments_of_document on comments (document_id, created_at, comment_id);
create table item_metadata (document_id text not null references documents (document_id), client_id text not null references clients, meta_key text not null, meta_value text not null,
  document_created_at bigint not null, primary key (document_id, meta_key));
create index documents_by_metadata on item_metadata (client_id, meta_key, meta_value, document_created_at);
create table upload_notices (document_id text primary key references documents (document_id), company_id text not null references firms, container_id text not null,
  created_by text not null references contacts, by_staff smallint not null, created_at bigint not null, told_at bigint);
create index upload_notices_waiting on upload_notices (container_id, by_staff) where told_at is null;
create table notices (notice_key text primary key, company_id text not null references firms, due_at bigint not null, told_at bigint not null)
`,
        );
        await countComments(db, postgres);
      },
    },
    '0021-rights': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `
alter table exports add column moved_at bigint;
update exports set moved_at = created_at;
create index exports_in_line on exports (company_id, created_at) where status = 'PENDING';
create table share_domains (company_id text not null references firms, domain text not null, primary key (company_id, domain))
`,
        ),
    },
    '0022-token-sessions': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `
alter table long_tokens add column session_hash text;
create index long_tokens_of_session on long_tokens (session_hash)
`,
        ),
    },
    '0023-firm-folder': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `create unique index one_firm_folder on containers (client_id) where product_type = 'FirmFolder'`,
        ),
    },
    '0024-search-beginnings': { up: (db: Kysely<never>) => findBeginnings(db, postgres) },
    '0025-known-devices': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `
drop table known_networks;
create table known_devices (device_key text primary key, prism_guid text not null references users, last_at bigint not null);
create index known_devices_by_age on known_devices (last_at);
create index known_devices_of_user on known_devices (prism_guid)
`,
        ),
    },
    '0026-unread': { up: (db: Kysely<never>) => keepUnread(db, postgres) },
    // Databases created on the first day lack this index, which was added to 0001 an hour later.
    '0027-one-contact-folder': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `create unique index if not exists one_contact_folder on containers (client_id) where product_type = 'ClientContactFolder'`,
        ),
    },
    '0028-second-step': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `
alter table firms add column second_step text not null default 'nobody';
alter table firms add column second_step_from bigint not null default 0
`,
        ),
    },
    '0029-sign-in-purposes': {
      up: (db: Kysely<never>) => run(db, 'alter table sign_in_transactions add column purpose text'),
    },
    // The default until a firm chooses its zone: the most common one among readers of its language.
    '0030-time-zones': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `
alter table firms add column time_zone text not null default 'UTC';
update firms set time_zone = case lower(language)
  when 'en-us' then 'America/New_York' when 'en-gb' then 'Europe/London' when 'en-au' then 'Australia/Sydney'
  when 'en-ca' then 'America/Toronto' when 'es' then 'America/Buenos_Aires' when 'pt' then 'America/Sao_Paulo'
  when 'fr' then 'America/Toronto' else 'UTC' end
`,
        ),
    },
    '0031-rights-macs': {
      up: async (db: Kysely<never>) => {
        await run(
          db,
          `alter table contacts add column mac text not null default ''; alter table client_contacts add column mac text not null default ''`,
        );
        await addRightsMacs(db);
      },
    },
    '0032-unscanned': {
      up: (db: Kysely<never>) =>
        run(
          db,
          `create index unscanned_documents on documents (seq) where purged_at is null and (scan is null or scan = 'pending')`,
        ),
    },
    '0033-word-beginnings': {
      up: async (db: Kysely<never>) => {
        if (postgres) await indexWordBeginnings(db);
      },
    },
  };
}
