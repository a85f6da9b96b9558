import type { SchemaChange } from './schema-change.server.ts';

const tables = (text: string): string[] => [
  `create table reading_settings (contact_id ${text} primary key references contacts, size ${text} not null, has_plain_words smallint not null, is_read_aloud smallint not null, changed_at bigint not null)`,
];

/** How large a person wants the text, and whether words are explained and pages read aloud. */
export const readingSettings: SchemaChange = {
  sqlite: tables('text'),
  postgres: tables('text collate "C"'),
};
