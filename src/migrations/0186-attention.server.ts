import type { SchemaChange } from './schema-change.server.ts';

const tables = (text: string): string[] => [
  `create table attention (subject ${text} primary key, version ${text} not null, changed_at bigint not null)`,
  `create index attention_by_change on attention (changed_at)`,
];

/** Whose open pages show something that has changed: a contact, or the staff of a firm. */
export const attention: SchemaChange = { sqlite: tables('text'), postgres: tables('text collate "C"') };
