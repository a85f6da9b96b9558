import type { SchemaChange } from './schema-change.server.ts';

/** What each member of staff has read in the inbox, and when they marked a row as not theirs, for undo. */
export const inboxReads: SchemaChange = {
  sqlite: [
    `alter table inbox_items add column added_at bigint not null default 0`,
    `update inbox_items set added_at = created_at`,
    `alter table inbox_dismissals add column dismissed_at bigint not null default 0`,
    `create table inbox_reads (contact_id text not null references contacts, item_id text not null references inbox_items on delete cascade, read_at bigint not null, primary key (contact_id, item_id))`,
    `create index inbox_reads_of_item on inbox_reads (item_id)`,
  ],
  postgres: [
    `alter table inbox_items add column added_at bigint not null default 0`,
    `update inbox_items set added_at = created_at`,
    `alter table inbox_dismissals add column dismissed_at bigint not null default 0`,
    `create table inbox_reads (contact_id text collate "C" not null references contacts, item_id text collate "C" not null references inbox_items on delete cascade, read_at bigint not null, primary key (contact_id, item_id))`,
    `create index inbox_reads_of_item on inbox_reads (item_id)`,
  ],
};
