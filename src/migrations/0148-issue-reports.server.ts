import type { SchemaChange } from './schema-change.server.ts';

const tables = (text: string): string[] => [
  `create table issue_reports (code ${text} primary key, company_id ${text} not null references firms, contact_id ${text} not null references contacts, viewed_by ${text} references contacts, about ${text} not null, source ${text} not null, release ${text} not null, description ${text} not null, details ${text} not null, state ${text} not null, answer ${text}, answered_by ${text} references contacts, answered_at bigint, created_at bigint not null, settled_at bigint)`,
  `create index issue_reports_of_firm on issue_reports (company_id, created_at, code)`,
  `create index settled_issue_reports on issue_reports (settled_at) where settled_at is not null`,
];

/** Problems that people reported, with their reference code. */
export const issueReports: SchemaChange = { sqlite: tables('text'), postgres: tables('text collate "C"') };
