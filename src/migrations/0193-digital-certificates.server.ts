import type { SchemaChange } from './schema-change.server.ts';

const changes = (text: string): readonly string[] => [
  `create table client_certificates (certificate_id ${text} primary key, company_id ${text} not null references firms, client_id ${text} not null unique references clients, secret ${text} not null, cnpj ${text} not null, holder ${text} not null, issuer ${text} not null, fingerprint ${text} not null, valid_from bigint not null, valid_to bigint not null, next_notice_on ${text} not null, refused_code ${text} not null, stored_by ${text} not null, stored_at bigint not null)`,
  `create index client_certificates_by_notice on client_certificates (next_notice_on, certificate_id)`,
];

/** The digital certificates of clients, with which the portal acts for them at the tax authority. */
export const digitalCertificates: SchemaChange = {
  sqlite: changes('text'),
  postgres: changes('text collate "C"'),
};
