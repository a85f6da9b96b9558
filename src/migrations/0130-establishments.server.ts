import type { SchemaChange } from './schema-change.server.ts';

const tables = (text: string): string[] => [
  `create table establishments (establishment_id ${text} primary key, company_id ${text} not null references firms, client_id ${text} not null references clients, cnpj ${text} not null, name ${text} not null, state_registration ${text} not null, city ${text} not null, rest_days ${text} not null, is_head_office smallint not null, version bigint not null, created_at bigint not null, modified_at bigint not null, removed_at bigint)`,
  `create unique index establishments_of_client on establishments (client_id, cnpj) where removed_at is null`,
  `create index establishments_with_removed on establishments (client_id, cnpj, establishment_id)`,
  `create index establishments_by_cnpj on establishments (company_id, cnpj)`,
];

/** The establishments of clients in Brazil, each with its CNPJ, its city and its days of rest. */
export const establishments: SchemaChange = { sqlite: tables('text'), postgres: tables('text collate "C"') };
