import type { SchemaChange } from './schema-change.server.ts';

const changes = (text: string): readonly string[] => [
  `alter table manifest_documents add column recipient_id ${text} not null default ''`,
  `alter table manifest_documents add column is_cancelled smallint not null default 0`,
  `create table manifest_sendings (intent_id ${text} primary key references manifest_intents, manifest_id ${text} not null references manifest_documents, company_id ${text} not null references firms, client_id ${text} not null references clients, event_id ${text} not null, lot ${text} not null, xml ${text} not null, sequence bigint not null, state ${text} not null, attempts bigint not null, looks bigint not null, sent_at bigint not null, next_at bigint, code ${text} not null, reason ${text} not null)`,
  `create index manifest_sendings_due on manifest_sendings (next_at, intent_id)`,
  `create index manifest_sendings_of_client on manifest_sendings (client_id, intent_id)`,
  `create table manifest_cursors (client_id ${text} not null references clients, cnpj ${text} not null, company_id ${text} not null references firms, environment ${text} not null, last_nsu ${text} not null, highest_nsu ${text} not null, next_at bigint not null, asked_at bigint, code ${text} not null, primary key (client_id, cnpj))`,
  `create index manifest_cursors_due on manifest_cursors (next_at, client_id)`,
  `create index manifest_cursors_of_cnpj on manifest_cursors (cnpj, asked_at)`,
];

/** What is sent to the tax authority about invoices, and how far it was asked for new ones. */
export const manifestByAuthority: SchemaChange = {
  sqlite: changes('text'),
  postgres: changes('text collate "C"'),
};
