import type { SchemaChange } from './schema-change.server.ts';

export const secondFactors: SchemaChange = {
  sqlite: [
    `create table totp_secrets (prism_guid text primary key references users, secret text not null, last_step bigint not null, created_at bigint not null, confirmed_at bigint)`,
    `create table passkeys (credential_id text primary key, prism_guid text not null references users, name text not null, public_key text not null, algorithm text not null,
  counter bigint not null, created_at bigint not null, used_at bigint)`,
    `create index passkeys_of_user on passkeys (prism_guid)`,
    `create table passkey_challenges (challenge_hash text primary key, expires_at bigint not null)`,
    `create table recovery_codes (code_hash text primary key, prism_guid text not null references users, created_at bigint not null)`,
    `create index recovery_codes_of_user on recovery_codes (prism_guid)`,
    `create table pending_sign_ins (pending_hash text primary key, prism_guid text not null references users, amr text not null, return_to text not null, expires_at bigint not null)`,
    `alter table login_tickets add column amr text not null default '["pwd"]'`,
  ],
  postgres: [
    `create table totp_secrets (prism_guid text collate "C" primary key references users, secret text collate "C" not null, last_step bigint not null, created_at bigint not null, confirmed_at bigint)`,
    `create table passkeys (credential_id text collate "C" primary key, prism_guid text collate "C" not null references users, name text collate "C" not null, public_key text collate "C" not null, algorithm text collate "C" not null,
  counter bigint not null, created_at bigint not null, used_at bigint)`,
    `create index passkeys_of_user on passkeys (prism_guid)`,
    `create table passkey_challenges (challenge_hash text collate "C" primary key, expires_at bigint not null)`,
    `create table recovery_codes (code_hash text collate "C" primary key, prism_guid text collate "C" not null references users, created_at bigint not null)`,
    `create index recovery_codes_of_user on recovery_codes (prism_guid)`,
    `create table pending_sign_ins (pending_hash text collate "C" primary key, prism_guid text collate "C" not null references users, amr text collate "C" not null, return_to text collate "C" not null, expires_at bigint not null)`,
    `alter table login_tickets add column amr text collate "C" not null default '["pwd"]'`,
  ],
};
