import type { SchemaChange } from './schema-change.server.ts';

/* A request is ordered by who has to act, then by its nearest date; those that are over, the newest first. */
const near = `case when coalesce(promised_on, '9999-12-31') < coalesce(due_on, '9999-12-31') then promised_on else coalesce(due_on, '9999-12-31') end`;
const queue = `(case when status = 'Replied' then '4' || cast(100000000000000 - changed_at as text) else case status when 'WaitingForAnswer' then '1' when 'Draft' then '3' else '2' end || ${near} end)`;
const visible = `where deleted_at is null and (status <> 'Draft' or is_begun_by_firm = 1)`;

const statements = (text: string): string[] => [
  `alter table service_requests add column promised_on ${text}`,
  `alter table service_requests add column reminded_at bigint`,
  `alter table service_request_settings add column promise_days bigint`,
  `create index service_requests_in_queue on service_requests (company_id, ${queue}, request_id) ${visible}`,
  `create index service_requests_of_responsible on service_requests (company_id, responsible, ${queue}, request_id) ${visible}`,
  `create index service_requests_of_type on service_requests (company_id, type, ${queue}, request_id) ${visible}`,
  `create table service_request_batches (batch_id ${text} primary key, action ${text} not null, responsible ${text})`,
  `create table service_request_batch_rows (batch_id ${text} not null references service_request_batches on delete cascade, number bigint not null, client_id ${text} not null, request_id ${text} not null, state ${text} not null, problem ${text} not null, before_value ${text} not null, primary key (batch_id, number))`,
];

/** The promised date of an answer, the order of the firm's queue, and batches of requests. */
export const serviceRequestDesk: SchemaChange = {
  sqlite: statements('text'),
  postgres: statements('text collate "C"'),
};
