import type { SchemaChange } from './schema-change.server.ts';

/**
 * What says for which client a file is, the client that a list names, and when the contacts of a published batch are
 * notified. Files that were matched before by numbers or names are matched again.
 */
export const deliveryEvidence: SchemaChange = {
  sqlite: [
    `alter table publish_files add column evidence text not null default '[]'`,
    `alter table publish_files add column listed_client_id text`,
    `alter table publish_batches add column notify_at bigint`,
    `alter table publish_batches add column notified_count bigint`,
    `update publish_files set client_id = null, matched_by = null, problem = null where matched_by in ('number', 'taxId', 'name') and batch_id in (select batch_id from publish_batches where state = 'open')`,
  ],
  postgres: [
    `alter table publish_files add column evidence text collate "C" not null default '[]'`,
    `alter table publish_files add column listed_client_id text collate "C"`,
    `alter table publish_batches add column notify_at bigint`,
    `alter table publish_batches add column notified_count bigint`,
    `update publish_files set client_id = null, matched_by = null, problem = null where matched_by in ('number', 'taxId', 'name') and batch_id in (select batch_id from publish_batches where state = 'open')`,
  ],
};
