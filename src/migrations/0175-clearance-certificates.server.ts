import type { SchemaChange } from './schema-change.server.ts';

/** Clearance certificates: the agencies that are followed for each client, and what became of each attempt. */
export const clearanceCertificates: SchemaChange = {
  sqlite: [
    `create table cnd_client_agencies (client_agency_id text primary key, company_id text not null references firms, client_id text not null references clients, agency_id text not null, renew_before_days bigint not null, notifies_client smallint not null, current_attempt_id text, result text not null, valid_until text not null, renew_on text not null, next_notice_on text not null, created_at bigint not null, created_by text not null, ended_at bigint)`,
    `create unique index cnd_client_agencies_once on cnd_client_agencies (client_id, agency_id)`,
    `create index cnd_client_agencies_of_firm on cnd_client_agencies (company_id, renew_on, client_agency_id)`,
    `create index cnd_client_agencies_by_validity on cnd_client_agencies (company_id, valid_until, client_agency_id)`,
    `create index cnd_client_agencies_by_notice on cnd_client_agencies (next_notice_on, client_agency_id)`,
    `create table cnd_attempts (attempt_id text primary key, company_id text not null references firms, client_id text not null references clients, client_agency_id text not null references cnd_client_agencies, status text not null, source text not null, result text not null, number text not null, control_code text not null, cnpj text not null, issued_on text not null, valid_until text not null, document_id text references documents (document_id), sha256 text not null, note text not null, created_at bigint not null, created_by text not null, withdrawn_at bigint)`,
    `create index cnd_attempts_of_agency on cnd_attempts (client_agency_id, created_at, attempt_id)`,
    `create index cnd_attempts_of_client on cnd_attempts (client_id, attempt_id)`,
    `create index cnd_attempts_by_document on cnd_attempts (document_id)`,
  ],
  postgres: [
    `create table cnd_client_agencies (client_agency_id text collate "C" primary key, company_id text collate "C" not null references firms, client_id text collate "C" not null references clients, agency_id text collate "C" not null, renew_before_days bigint not null, notifies_client smallint not null, current_attempt_id text collate "C", result text collate "C" not null, valid_until text collate "C" not null, renew_on text collate "C" not null, next_notice_on text collate "C" not null, created_at bigint not null, created_by text collate "C" not null, ended_at bigint)`,
    `create unique index cnd_client_agencies_once on cnd_client_agencies (client_id, agency_id)`,
    `create index cnd_client_agencies_of_firm on cnd_client_agencies (company_id, renew_on, client_agency_id)`,
    `create index cnd_client_agencies_by_validity on cnd_client_agencies (company_id, valid_until, client_agency_id)`,
    `create index cnd_client_agencies_by_notice on cnd_client_agencies (next_notice_on, client_agency_id)`,
    `create table cnd_attempts (attempt_id text collate "C" primary key, company_id text collate "C" not null references firms, client_id text collate "C" not null references clients, client_agency_id text collate "C" not null references cnd_client_agencies, status text collate "C" not null, source text collate "C" not null, result text collate "C" not null, number text collate "C" not null, control_code text collate "C" not null, cnpj text collate "C" not null, issued_on text collate "C" not null, valid_until text collate "C" not null, document_id text collate "C" references documents (document_id), sha256 text collate "C" not null, note text collate "C" not null, created_at bigint not null, created_by text collate "C" not null, withdrawn_at bigint)`,
    `create index cnd_attempts_of_agency on cnd_attempts (client_agency_id, created_at, attempt_id)`,
    `create index cnd_attempts_of_client on cnd_attempts (client_id, attempt_id)`,
    `create index cnd_attempts_by_document on cnd_attempts (document_id)`,
  ],
};
