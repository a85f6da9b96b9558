import type { SchemaChange } from './schema-change.server.ts';

export const issuers: SchemaChange = {
  sqlite: [
    `create table identities (issuer text not null, subject_key text not null, prism_guid text not null references users, linked_at bigint not null,
  primary key (issuer, subject_key), unique (prism_guid, issuer))`,
  ],
  postgres: [
    `create table identities (issuer text collate "C" not null, subject_key text collate "C" not null, prism_guid text collate "C" not null references users, linked_at bigint not null,
  primary key (issuer, subject_key), unique (prism_guid, issuer))`,
  ],
};
