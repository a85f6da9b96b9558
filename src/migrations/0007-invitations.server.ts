import type { SchemaChange } from './schema-change.server.ts';

export const invitations: SchemaChange = {
  sqlite: [
    `create table password_resets (reset_id text primary key, prism_guid text not null references users, token_hash text not null unique, expires_at bigint not null)`,
    `create index password_resets_of_user on password_resets (prism_guid)`,
    `create table invitations (invitation_id text primary key, company_id text not null references firms, email text not null, email_key text not null, first_name text not null,
  last_name text not null, language text not null, client_ids text not null, token_hash text not null unique, invited_by text not null references contacts,
  created_at bigint not null, sent_at bigint not null, expires_at bigint not null, accepted_at bigint, revoked_at bigint)`,
    `create index invitations_of_firm on invitations (company_id, created_at)`,
    `create table rescue_codes (contact_id text primary key references contacts, prism_guid text not null references users, code_hash text not null, issued_by text not null references contacts,
  expires_at bigint not null)`,
    `create table known_networks (network_key text primary key, prism_guid text not null references users, last_at bigint not null)`,
    `create index known_networks_by_age on known_networks (last_at)`,
    `alter table jobs add column company_id text references firms`,
  ],
  postgres: [
    `create table password_resets (reset_id text collate "C" primary key, prism_guid text collate "C" not null references users, token_hash text collate "C" not null unique, expires_at bigint not null)`,
    `create index password_resets_of_user on password_resets (prism_guid)`,
    `create table invitations (invitation_id text collate "C" primary key, company_id text collate "C" not null references firms, email text collate "C" not null, email_key text collate "C" not null, first_name text collate "C" not null,
  last_name text collate "C" not null, language text collate "C" not null, client_ids text collate "C" not null, token_hash text collate "C" not null unique, invited_by text collate "C" not null references contacts,
  created_at bigint not null, sent_at bigint not null, expires_at bigint not null, accepted_at bigint, revoked_at bigint)`,
    `create index invitations_of_firm on invitations (company_id, created_at)`,
    `create table rescue_codes (contact_id text collate "C" primary key references contacts, prism_guid text collate "C" not null references users, code_hash text collate "C" not null, issued_by text collate "C" not null references contacts,
  expires_at bigint not null)`,
    `create table known_networks (network_key text collate "C" primary key, prism_guid text collate "C" not null references users, last_at bigint not null)`,
    `create index known_networks_by_age on known_networks (last_at)`,
    `alter table jobs add column company_id text collate "C" references firms`,
  ],
};
