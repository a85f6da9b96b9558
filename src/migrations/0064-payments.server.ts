import type { SchemaChange } from './schema-change.server.ts';

/** How firms are paid, what they request, attempts to pay at a provider, and what happened. */
export const payments: SchemaChange = {
  sqlite: [
    `create table payment_settings (company_id text primary key references firms, settings text not null, changed_at bigint not null)`,
    `create table payment_requests (task_id text primary key references tasks on delete cascade, company_id text not null references firms, client_id text not null references clients, amount bigint not null, currency text not null, payee text not null, reference text not null, invoice_number text not null, document_id text, offers_bank smallint not null, offers_pix smallint not null, offers_online smallint not null, state text not null, failure text not null, failure_reason text, paid_by text not null, paid_at bigint, paid_on text, paid_reference text, receipt bigint)`,
    `create unique index payment_requests_by_reference on payment_requests (company_id, reference)`,
    `create index payment_requests_of_client on payment_requests (client_id)`,
    `create table payment_checkouts (checkout_id text primary key, task_id text not null references payment_requests on delete cascade, company_id text not null references firms, provider text not null, provider_reference text, url text, state text not null, amount bigint not null, currency text not null, created_at bigint not null, created_by text not null, expires_at bigint not null)`,
    `create index payment_checkouts_of_task on payment_checkouts (task_id, created_at)`,
    `create unique index payment_checkouts_by_reference on payment_checkouts (provider, provider_reference)`,
    `create table payment_events (event_id text primary key, task_id text references payment_requests on delete cascade, source text not null, source_event_id text not null, kind text not null, received_at bigint not null, body_sha256 text not null, effect text not null, done_by text not null)`,
    `create unique index payment_events_once on payment_events (source, source_event_id)`,
    `create index payment_events_of_task on payment_events (task_id, received_at)`,
  ],
  postgres: [
    `create table payment_settings (company_id text collate "C" primary key references firms, settings text collate "C" not null, changed_at bigint not null)`,
    `create table payment_requests (task_id text collate "C" primary key references tasks on delete cascade, company_id text collate "C" not null references firms, client_id text collate "C" not null references clients, amount bigint not null, currency text collate "C" not null, payee text collate "C" not null, reference text collate "C" not null, invoice_number text collate "C" not null, document_id text collate "C", offers_bank smallint not null, offers_pix smallint not null, offers_online smallint not null, state text collate "C" not null, failure text collate "C" not null, failure_reason text collate "C", paid_by text collate "C" not null, paid_at bigint, paid_on text collate "C", paid_reference text collate "C", receipt bigint)`,
    `create unique index payment_requests_by_reference on payment_requests (company_id, reference)`,
    `create index payment_requests_of_client on payment_requests (client_id)`,
    `create table payment_checkouts (checkout_id text collate "C" primary key, task_id text collate "C" not null references payment_requests on delete cascade, company_id text collate "C" not null references firms, provider text collate "C" not null, provider_reference text collate "C", url text collate "C", state text collate "C" not null, amount bigint not null, currency text collate "C" not null, created_at bigint not null, created_by text collate "C" not null, expires_at bigint not null)`,
    `create index payment_checkouts_of_task on payment_checkouts (task_id, created_at)`,
    `create unique index payment_checkouts_by_reference on payment_checkouts (provider, provider_reference)`,
    `create table payment_events (event_id text collate "C" primary key, task_id text collate "C" references payment_requests on delete cascade, source text collate "C" not null, source_event_id text collate "C" not null, kind text collate "C" not null, received_at bigint not null, body_sha256 text collate "C" not null, effect text collate "C" not null, done_by text collate "C" not null)`,
    `create unique index payment_events_once on payment_events (source, source_event_id)`,
    `create index payment_events_of_task on payment_events (task_id, received_at)`,
  ],
};
