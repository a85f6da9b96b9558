import type { SchemaChange } from './schema-change.server.ts';

const table = (text: string): string[] => [
  `create table batches (batch_id ${text} primary key, company_id ${text} not null references firms, kind ${text} not null, state ${text} not null, stopped_by ${text} not null, created_by ${text} not null, runs_as ${text} not null, total bigint not null, position bigint not null, created_at bigint not null, moved_at bigint not null, finished_at bigint)`,
  `create index batches_of_kind on batches (company_id, kind, created_at)`,
  `create index batches_by_age on batches (kind, created_at)`,
  `create index batches_at_work on batches (moved_at) where state in ('checking', 'running', 'undoing')`,
];

/** How far batches of all kinds are; what they do and their rows are in tables of their kinds. */
export const batches: SchemaChange = { sqlite: table('text'), postgres: table('text collate "C"') };
