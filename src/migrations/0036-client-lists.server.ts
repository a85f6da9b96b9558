import type { SchemaChange } from './schema-change.server.ts';

/** Indexes of the lists of current and of archived clients, which are counted without reading the rows. */
export const clientLists: SchemaChange = {
  sqlite: indexes(),
  postgres: indexes(),
};

function indexes(): string[] {
  return [
    `create index current_clients_by_name on clients (company_id, name_key, client_id) where archived_at is null`,
    `create index current_clients_by_code on clients (company_id, code_key, client_id) where archived_at is null`,
    `create index archived_clients on clients (company_id, name_key, client_id) where archived_at is not null`,
    `create index merged_clients on clients (merged_into) where merged_into is not null`,
  ];
}
