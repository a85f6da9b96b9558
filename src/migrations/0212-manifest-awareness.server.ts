import type { SchemaChange } from './schema-change.server.ts';

const statements = (text: string): string[] => [
  `alter table manifest_settings add column is_aware_automatic smallint not null default 0`,
  `create table manifest_early_events (client_id ${text} not null references clients, access_key ${text} not null, type ${text} not null, sequence bigint not null, company_id ${text} not null references firms, author ${text} not null, protocol ${text} not null, registered_at bigint not null, stored_at bigint not null, primary key (client_id, access_key, type, sequence))`,
];

/** Awareness that is registered automatically, and events of invoices that are not known yet. */
export const manifestAwareness: SchemaChange = {
  sqlite: statements('text'),
  postgres: statements('text collate "C"'),
};
