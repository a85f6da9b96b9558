import type { SchemaChange } from './schema-change.server.ts';

/** Links that were opened for the first time, until their senders have seen it. */
export const shareOpenings: SchemaChange = {
  sqlite: [
    `create table share_openings (recipient_id text primary key references share_recipients on delete cascade, contact_id text not null references contacts on delete cascade, opened_at bigint not null, is_announced smallint not null default 0)`,
    `create index share_openings_of_contact on share_openings (contact_id, opened_at)`,
  ],
  postgres: [
    `create table share_openings (recipient_id text collate "C" primary key references share_recipients on delete cascade, contact_id text collate "C" not null references contacts on delete cascade, opened_at bigint not null, is_announced smallint not null default 0)`,
    `create index share_openings_of_contact on share_openings (contact_id, opened_at)`,
  ],
};
