import type { SchemaChange } from './schema-change.server.ts';

/** The nodes that run, with their signs of life, and which of them works at a job. */
export const nodes: SchemaChange = {
  sqlite: [
    `create table nodes (node_id text not null primary key, started_at bigint not null, seen_at bigint not null)`,
    `alter table jobs add column leased_by text`,
    `create index jobs_by_lease on jobs (leased_by) where leased_by is not null`,
  ],
  postgres: [
    `create table nodes (node_id text collate "C" not null primary key, started_at bigint not null, seen_at bigint not null)`,
    `alter table jobs add column leased_by text collate "C"`,
    `create index jobs_by_lease on jobs (leased_by) where leased_by is not null`,
  ],
};
