import type { SchemaChange } from './schema-change.server.ts';

export const tokenSessions: SchemaChange = {
  sqlite: [
    `alter table long_tokens add column session_hash text`,
    `create index long_tokens_of_session on long_tokens (session_hash)
`,
  ],
  postgres: [
    `alter table long_tokens add column session_hash text collate "C"`,
    `create index long_tokens_of_session on long_tokens (session_hash)`,
  ],
};
