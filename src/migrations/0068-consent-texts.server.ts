import type { SchemaChange } from './schema-change.server.ts';

/** The firm's own texts of the agreement to sign electronically, and which version in which language was agreed to. */
export const consentTexts: SchemaChange = {
  sqlite: [
    `create table sign_consent_texts (company_id text not null references firms, language text not null, version bigint not null, text text not null, changed_by text not null, changed_at bigint not null, primary key (company_id, language, version))`,
    `alter table signers add column consent_version bigint`,
    `alter table signers add column consent_language text`,
  ],
  postgres: [
    `create table sign_consent_texts (company_id text collate "C" not null references firms, language text collate "C" not null, version bigint not null, text text collate "C" not null, changed_by text collate "C" not null, changed_at bigint not null, primary key (company_id, language, version))`,
    `alter table signers add column consent_version bigint`,
    `alter table signers add column consent_language text collate "C"`,
  ],
};
