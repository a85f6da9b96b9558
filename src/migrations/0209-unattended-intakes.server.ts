import type { SchemaChange } from './schema-change.server.ts';

const statements = (text: string): string[] => [
  `alter table fiscal_intakes add column origin ${text}`,
  `create unique index fiscal_intakes_by_origin on fiscal_intakes (origin)`,
  `create table fiscal_moves (path ${text} primary key, intake_id ${text} not null references fiscal_intakes, size bigint not null, modified_at bigint not null, reason ${text} not null)`,
  `create table fiscal_mail_addresses (token_key ${text} primary key, company_id ${text} not null references firms, client_id ${text} not null references clients, token ${text} not null, created_at bigint not null, created_by ${text} not null)`,
  `create index fiscal_mail_addresses_of_client on fiscal_mail_addresses (client_id, created_at)`,
];

/** Fiscal documents from a watched folder and a mailbox. */
export const unattendedIntakes: SchemaChange = {
  sqlite: statements('text'),
  postgres: statements('text collate "C"'),
};
