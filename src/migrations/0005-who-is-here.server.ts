import type { SchemaChange } from './schema-change.server.ts';

/** Ends all sessions: earlier ones do not record how their person signed in. */
export const whoIsHere: SchemaChange = {
  sqlite: [
    `delete from sessions`,
    `alter table sessions add column authenticated_at bigint not null default 0`,
    `alter table sessions add column device text not null default ''`,
    `alter table sessions add column viewer_contact_id text references contacts`,
    `alter table sessions add column view_reason text`,
    `alter table sessions add column view_until bigint`,
    `create index sessions_of_user on sessions (prism_guid)`,
    `create table access_settings (company_id text not null references firms, contact_id text not null, kind text not null, name text not null, granted smallint not null,
  primary key (company_id, contact_id, kind, name))`,
    `create table terms (company_id text not null references firms, version bigint not null, language text not null, body text not null, sha256 text not null,
  published_at bigint not null, primary key (company_id, version, language))`,
    `create table terms_acceptances (company_id text not null references firms, contact_id text not null references contacts, version bigint not null, language text not null,
  sha256 text not null, accepted_at bigint not null, primary key (contact_id, version))`,
  ],
  postgres: [
    `delete from sessions`,
    `alter table sessions add column authenticated_at bigint not null default 0`,
    `alter table sessions add column device text collate "C" not null default ''`,
    `alter table sessions add column viewer_contact_id text collate "C" references contacts`,
    `alter table sessions add column view_reason text collate "C"`,
    `alter table sessions add column view_until bigint`,
    `create index sessions_of_user on sessions (prism_guid)`,
    `create table access_settings (company_id text collate "C" not null references firms, contact_id text collate "C" not null, kind text collate "C" not null, name text collate "C" not null, granted smallint not null,
  primary key (company_id, contact_id, kind, name))`,
    `create table terms (company_id text collate "C" not null references firms, version bigint not null, language text collate "C" not null, body text collate "C" not null, sha256 text collate "C" not null,
  published_at bigint not null, primary key (company_id, version, language))`,
    `create table terms_acceptances (company_id text collate "C" not null references firms, contact_id text collate "C" not null references contacts, version bigint not null, language text collate "C" not null,
  sha256 text collate "C" not null, accepted_at bigint not null, primary key (contact_id, version))`,
  ],
};
