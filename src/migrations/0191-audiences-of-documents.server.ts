import type { SchemaChange } from './schema-change.server.ts';

const changes = (text: string): readonly string[] => [
  `alter table documents add column audience ${text}`,
  `create index documents_with_audience on documents (container_id) where audience is not null`,
];

/** Documents for those of a client alone who have an action of the portal, such as the files of payroll requests. */
export const audiencesOfDocuments: SchemaChange = {
  sqlite: changes('text'),
  postgres: changes('text collate "C"'),
};
