import type { SchemaChange } from './schema-change.server.ts';

const statements = (text: string): string[] => [
  `alter table firms add column practice_of ${text} references firms`,
  `alter table sessions add column practiced_by ${text} references contacts`,
  `create table practice_firms (practice_of ${text} primary key references firms, company_id ${text} not null references firms, made_by ${text} not null references contacts, made_at bigint not null)`,
  `create table practice_people (member_id ${text} not null references contacts, company_id ${text} not null references firms, contact_id ${text} not null references contacts, primary key (member_id, company_id))`,
];

/** Firms in which the people of a real one try things, and their sessions there. */
export const practiceFirms: SchemaChange = {
  sqlite: statements('text'),
  postgres: statements('text collate "C"'),
};
