import type { SchemaChange } from './schema-change.server.ts';

const statements = (text: string): string[] => [
  `create table contact_phrases (contact_id ${text} primary key references contacts, phrase ${text} not null, changed_at bigint not null)`,
  `alter table mails add column check_code ${text}`,
  `create index mails_by_check_code on mails (check_code) where check_code is not null`,
];

/** The phrase in the emails to a person, and the code by which an email is recognized as one of the portal. */
export const phrasesAndCheckCodes: SchemaChange = {
  sqlite: statements('text'),
  postgres: statements('text collate "C"'),
};
