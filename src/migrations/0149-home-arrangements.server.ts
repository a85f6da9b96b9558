import type { SchemaChange } from './schema-change.server.ts';

const table = (text: string): string[] => [
  `create table home_arrangements (company_id ${text} not null references firms, contact_id ${text} not null, widgets ${text} not null, modified_at bigint not null, primary key (company_id, contact_id))`,
];

/** How people and firms arrange the home page. */
export const homeArrangements: SchemaChange = { sqlite: table('text'), postgres: table('text collate "C"') };
