import type { SchemaChange } from './schema-change.server.ts';

const tables = (text: string): string[] => [
  `create table mail_texts (company_id ${text} not null references firms, kind ${text} not null, lang ${text} not null, subject ${text} not null, introduction ${text} not null, version bigint not null, changed_at bigint not null, changed_by ${text} not null, primary key (company_id, kind, lang))`,
];

/** What a firm writes itself into emails of a kind, in a language. */
export const mailTexts: SchemaChange = { sqlite: tables('text'), postgres: tables('text collate "C"') };
