import type { SchemaChange } from './schema-change.server.ts';

const statements = (text: string): string[] => [
  `alter table fiscal_documents add column own_id ${text} not null default ''`,
  `update fiscal_documents set own_id = issuer_id where role in ('issuer', 'provider')`,
  `create index fiscal_documents_of_establishment on fiscal_documents (client_id, storage, own_id, issued_at, document_id)`,
  `create index establishments_by_root on establishments (company_id, substr(cnpj, 1, 8))`,
];

/** By which of its CNPJs a client has part in a fiscal document. Of what others issued before, it is not known. */
export const establishmentsOfFiscalDocuments: SchemaChange = {
  sqlite: statements('text'),
  postgres: statements('text collate "C"'),
};
