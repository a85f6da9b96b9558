import type { SchemaChange } from './schema-change.server.ts';

/** What came in and waits for the firm, one row for things that are handled together. */
export const inbox: SchemaChange = {
  sqlite: [
    `create table inbox_items (item_id text primary key, company_id text not null references firms, client_id text references clients, contact_id text, kind text not null, group_key text not null, name text not null,
  count bigint not null, created_at bigint not null, modified_at bigint not null, done_at bigint, done_by text)`,
    `create unique index inbox_open on inbox_items (company_id, kind, group_key) where done_at is null`,
    `create index inbox_of_firm on inbox_items (company_id, created_at) where done_at is null`,
    `create index inbox_of_client on inbox_items (client_id, created_at) where done_at is null`,
    `create index inbox_done on inbox_items (done_at)`,
    `create table inbox_targets (target text not null, item_id text not null references inbox_items on delete cascade, name text not null, primary key (target, item_id))`,
    `create index inbox_targets_of_item on inbox_targets (item_id)`,
    `create table inbox_dismissals (item_id text not null references inbox_items on delete cascade, contact_id text not null references contacts, primary key (item_id, contact_id))`,
  ],
  postgres: [
    `create table inbox_items (item_id text collate "C" primary key, company_id text collate "C" not null references firms, client_id text collate "C" references clients, contact_id text collate "C", kind text collate "C" not null,
  group_key text collate "C" not null, name text collate "C" not null, count bigint not null, created_at bigint not null, modified_at bigint not null, done_at bigint, done_by text collate "C")`,
    `create unique index inbox_open on inbox_items (company_id, kind, group_key) where done_at is null`,
    `create index inbox_of_firm on inbox_items (company_id, created_at) where done_at is null`,
    `create index inbox_of_client on inbox_items (client_id, created_at) where done_at is null`,
    `create index inbox_done on inbox_items (done_at)`,
    `create table inbox_targets (target text collate "C" not null, item_id text collate "C" not null references inbox_items on delete cascade, name text collate "C" not null, primary key (target, item_id))`,
    `create index inbox_targets_of_item on inbox_targets (item_id)`,
    `create table inbox_dismissals (item_id text collate "C" not null references inbox_items on delete cascade, contact_id text collate "C" not null references contacts, primary key (item_id, contact_id))`,
  ],
};
