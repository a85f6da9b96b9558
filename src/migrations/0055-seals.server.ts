import type { SchemaChange } from './schema-change.server.ts';

/** The keys with which firms seal documents, and the sealed files. */
export const seals: SchemaChange = {
  sqlite: [
    `create table seal_keys (key_id text primary key, company_id text not null references firms, origin text not null, certificate text not null, fingerprint text not null, valid_to bigint not null, secret text not null, created_at bigint not null, replaced_at bigint)`,
    `create unique index seal_keys_in_use on seal_keys (company_id) where replaced_at is null`,
    `create index seal_keys_of_firm on seal_keys (company_id, created_at)`,
    `create index seal_keys_by_fingerprint on seal_keys (fingerprint)`,
    `create table sealed_files (company_id text not null references firms, sha256 text not null, key_id text not null references seal_keys, title text not null, task_id text not null, sealed_at bigint not null, primary key (company_id, sha256))`,
    `create index sealed_files_by_digest on sealed_files (sha256)`,
  ],
  postgres: [
    `create table seal_keys (key_id text collate "C" primary key, company_id text collate "C" not null references firms, origin text collate "C" not null, certificate text collate "C" not null, fingerprint text collate "C" not null, valid_to bigint not null, secret text collate "C" not null, created_at bigint not null, replaced_at bigint)`,
    `create unique index seal_keys_in_use on seal_keys (company_id) where replaced_at is null`,
    `create index seal_keys_of_firm on seal_keys (company_id, created_at)`,
    `create index seal_keys_by_fingerprint on seal_keys (fingerprint)`,
    `create table sealed_files (company_id text collate "C" not null references firms, sha256 text collate "C" not null, key_id text collate "C" not null references seal_keys, title text collate "C" not null, task_id text collate "C" not null, sealed_at bigint not null, primary key (company_id, sha256))`,
    `create index sealed_files_by_digest on sealed_files (sha256)`,
  ],
};
