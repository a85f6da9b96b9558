import type { SchemaChange } from './schema-change.server.ts';

const statements = (text: string): string[] => [
  `alter table service_request_settings add column softened ${text} not null default '[]'`,
];

/** The rules that a firm lets warn instead of asking for a reason, by kind of request. */
export const softenedRules: SchemaChange = {
  sqlite: statements('text'),
  postgres: statements('text collate "C"'),
};
