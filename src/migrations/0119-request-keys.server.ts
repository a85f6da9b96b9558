import type { SchemaChange } from './schema-change.server.ts';

const columns = (text: string): string =>
  `create table request_keys (request_key ${text} not null primary key, content_hash ${text} not null, node_id ${text} not null, started_at bigint not null, acted smallint not null default 0, answer ${text})`;

/** Requests with a key, which are carried out once (docs/decisions/0082). */
export const requestKeys: SchemaChange = {
  sqlite: [columns('text'), `create index request_keys_by_start on request_keys (started_at)`],
  postgres: [columns('text collate "C"'), `create index request_keys_by_start on request_keys (started_at)`],
};
