import type { SchemaChange } from './schema-change.server.ts';

export const tokens: SchemaChange = {
  sqlite: [
    `alter table users add column last_contact_id text`,
    `create table long_tokens (token_hash text primary key, token_id text not null unique, kind text not null, prism_guid text not null references users,
  contact_id text not null references contacts, company_id text not null references firms, amr text not null, authenticated_at bigint not null,
  session_since bigint not null, created_at bigint not null, expires_at bigint not null, used_at bigint)`,
    `create index long_tokens_of_user on long_tokens (prism_guid)`,
    `create table ended_sessions (session_hash text primary key, contact_id text not null references contacts, ended_at bigint not null)`,
    `create table kept_forms (form_hash text primary key, contact_id text not null references contacts, path text not null, fields text not null, expires_at bigint not null)`,
  ],
  postgres: [
    `alter table users add column last_contact_id text collate "C"`,
    `create table long_tokens (token_hash text collate "C" primary key, token_id text collate "C" not null unique, kind text collate "C" not null, prism_guid text collate "C" not null references users,
  contact_id text collate "C" not null references contacts, company_id text collate "C" not null references firms, amr text collate "C" not null, authenticated_at bigint not null,
  session_since bigint not null, created_at bigint not null, expires_at bigint not null, used_at bigint)`,
    `create index long_tokens_of_user on long_tokens (prism_guid)`,
    `create table ended_sessions (session_hash text collate "C" primary key, contact_id text collate "C" not null references contacts, ended_at bigint not null)`,
    `create table kept_forms (form_hash text collate "C" primary key, contact_id text collate "C" not null references contacts, path text collate "C" not null, fields text collate "C" not null, expires_at bigint not null)`,
  ],
};
