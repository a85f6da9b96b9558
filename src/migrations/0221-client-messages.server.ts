import type { SchemaChange } from './schema-change.server.ts';

const statements = (text: string): string[] => [
  `create table client_messages (message_id ${text} primary key, company_id ${text} not null references firms, client_id ${text} not null references clients, body ${text}, is_internal smallint not null, by_staff smallint not null, created_by ${text} not null references contacts, created_at bigint not null, withdrawn_at bigint)`,
  `create index client_messages_of_client on client_messages (client_id, created_at, message_id)`,
  `create index client_messages_of_firm on client_messages (company_id, created_at)`,
  `create table client_message_reads (client_id ${text} not null references clients, contact_id ${text} not null references contacts, read_to bigint not null, read_at bigint not null, primary key (client_id, contact_id))`,
];

/** What the firm and the people of a client write to each other, without a task. */
export const clientMessages: SchemaChange = {
  sqlite: statements('text'),
  postgres: statements('text collate "C"'),
};
