import type { SchemaChange } from './schema-change.server.ts';

/**
 * An index with every column by which the list of clients is grouped, in the order of the list within the last of them:
 * groups are counted, and the rows in one are found, without the rows of the table.
 */
export const clientGroups: SchemaChange = {
  sqlite: index(),
  postgres: index(),
};

function index(): string[] {
  return [
    // with archived_at, without which SQLite reads the rows, too
    `create index grouped_clients on clients (company_id, kind, language, year_end, name_key, client_id, archived_at) where archived_at is null`,
  ];
}
