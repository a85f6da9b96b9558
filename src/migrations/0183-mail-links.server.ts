import type { SchemaChange } from './schema-change.server.ts';

const tables = (text: string): string[] => [
  `create table mail_links (code ${text} primary key, mail_id ${text}, page ${text}, created_at bigint not null)`,
  `create index mail_links_of on mail_links (mail_id)`,
  `create index mail_links_by_age on mail_links (created_at)`,
];

/** The pages that short links in mails lead to. They outlive the mails, whose rows are deleted after half a year. */
export const mailLinks: SchemaChange = {
  sqlite: tables('text not null'),
  postgres: tables('text collate "C" not null'),
};
