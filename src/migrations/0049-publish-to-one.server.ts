import type { SchemaChange } from './schema-change.server.ts';

/** Batches for one client, in a folder that is chosen; messages to the contacts; a folder for each file. */
export const publishToOne: SchemaChange = {
  sqlite: [
    `alter table publish_batches add column client_id text references clients`,
    `alter table publish_batches add column container_id text`,
    `alter table publish_batches add column message text`,
    `alter table publish_files add column folder text`,
    `alter table upload_notices add column message text`,
    `create index publish_batches_of_firm on publish_batches (company_id)`,
  ],
  postgres: [
    `alter table publish_batches add column client_id text collate "C" references clients`,
    `alter table publish_batches add column container_id text collate "C"`,
    `alter table publish_batches add column message text collate "C"`,
    `alter table publish_files add column folder text collate "C"`,
    `alter table upload_notices add column message text collate "C"`,
    `create index publish_batches_of_firm on publish_batches (company_id)`,
  ],
};
