import type { SchemaChange } from './schema-change.server.ts';

const changes = (text: string): readonly string[] => [
  `alter table service_request_settings add column locked ${text} not null default '{}'`,
  `alter table service_request_forms add column locked ${text} not null default '{}'`,
  `alter table service_requests add column is_minimum smallint not null default 0`,
  `alter table service_requests add column lapse_notices smallint not null default 0`,
  `create index employee_changes_of_request on employee_changes (request_id) where request_id is not null`,
];

/** A firm answers questions of requests itself; an admission is sent in two steps; requests lapse, after notices; replies change employees. */
export const stepsOfRequests: SchemaChange = {
  sqlite: changes('text'),
  postgres: changes('text collate "C"'),
};
