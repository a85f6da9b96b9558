import type { SchemaChange } from './schema-change.server.ts';

const changes = (text: string): readonly string[] => [
  `alter table documents add column answer_state ${text}`,
  `create index documents_not_submitted on documents (container_id) where answer_state = 'open'`,
];

/** The firm does not see the files of an answer before the client submits it. */
export const answersNotSubmitted: SchemaChange = {
  sqlite: changes('text'),
  postgres: changes('text collate "C"'),
};
