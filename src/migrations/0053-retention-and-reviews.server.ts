import type { SchemaChange } from './schema-change.server.ts';

/** How long documents are kept, legal holds, and reviews of who has access. */
export const retentionAndReviews: SchemaChange = {
  sqlite: [
    `create table retention_policies (company_id text primary key references firms, rules text not null, starts_at bigint not null, swept_at bigint not null default 0, changed_at bigint not null)`,
    `create table retention_moves (document_id text primary key references documents (document_id), company_id text not null references firms, moved_at bigint not null)`,
    `create table legal_holds (client_id text primary key references clients, company_id text not null references firms, reason text not null, held_by text not null, held_at bigint not null)`,
    `create index legal_holds_of_firm on legal_holds (company_id)`,
    `create table access_review_plans (company_id text primary key references firms, interval_months bigint not null, starts_at bigint not null)`,
    `create table access_reviews (review_id text primary key, company_id text not null references firms, started_at bigint not null, due_at bigint not null, finished_at bigint)`,
    `create unique index access_reviews_open on access_reviews (company_id) where finished_at is null`,
    `create index access_reviews_of_firm on access_reviews (company_id, started_at)`,
    `create table access_review_items (review_id text not null references access_reviews on delete cascade, number bigint not null, contact_id text not null references contacts, client_id text references clients, role text not null default '', seen_at bigint, decision text not null default '', decided_by text, decided_at bigint, primary key (review_id, number))`,
  ],
  postgres: [
    `create table retention_policies (company_id text collate "C" primary key references firms, rules text collate "C" not null, starts_at bigint not null, swept_at bigint not null default 0, changed_at bigint not null)`,
    `create table retention_moves (document_id text collate "C" primary key references documents (document_id), company_id text collate "C" not null references firms, moved_at bigint not null)`,
    `create table legal_holds (client_id text collate "C" primary key references clients, company_id text collate "C" not null references firms, reason text collate "C" not null, held_by text collate "C" not null, held_at bigint not null)`,
    `create index legal_holds_of_firm on legal_holds (company_id)`,
    `create table access_review_plans (company_id text collate "C" primary key references firms, interval_months bigint not null, starts_at bigint not null)`,
    `create table access_reviews (review_id text collate "C" primary key, company_id text collate "C" not null references firms, started_at bigint not null, due_at bigint not null, finished_at bigint)`,
    `create unique index access_reviews_open on access_reviews (company_id) where finished_at is null`,
    `create index access_reviews_of_firm on access_reviews (company_id, started_at)`,
    `create table access_review_items (review_id text collate "C" not null references access_reviews on delete cascade, number bigint not null, contact_id text collate "C" not null references contacts, client_id text collate "C" references clients, role text collate "C" not null default '', seen_at bigint, decision text collate "C" not null default '', decided_by text collate "C", decided_at bigint, primary key (review_id, number))`,
  ],
};
