import type { SchemaChange } from './schema-change.server.ts';

/** What people keep for their grids: the columns shown, and saved filters. They go with the contact. */
export const grids: SchemaChange = {
  sqlite: [
    `create table grid_columns (contact_id text not null references contacts on delete cascade, grid text not null, columns text not null, primary key (contact_id, grid))`,
    `create table grid_filters (filter_id text primary key, contact_id text not null references contacts on delete cascade, grid text not null, name text not null, query text not null, created_at bigint not null)`,
    `create index grid_filters_of_contact on grid_filters (contact_id, grid, created_at)`,
  ],
  postgres: [
    `create table grid_columns (contact_id text collate "C" not null references contacts on delete cascade, grid text collate "C" not null, columns text collate "C" not null, primary key (contact_id, grid))`,
    `create table grid_filters (filter_id text collate "C" primary key, contact_id text collate "C" not null references contacts on delete cascade, grid text collate "C" not null, name text collate "C" not null, query text collate "C" not null, created_at bigint not null)`,
    `create index grid_filters_of_contact on grid_filters (contact_id, grid, created_at)`,
  ],
};
