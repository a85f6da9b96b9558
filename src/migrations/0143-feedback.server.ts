import type { SchemaChange } from './schema-change.server.ts';

/** What people say about help articles, the portal and their firm. */
export const feedback: SchemaChange = {
  sqlite: [
    `create table feedback (feedback_id text primary key, company_id text not null references firms, contact_id text not null references contacts, article text, page text not null, rating text not null, message text not null, created_at bigint not null, seen_at bigint)`,
    `create index feedback_by_firm on feedback (company_id, created_at)`,
    `create index feedback_by_date on feedback (created_at)`,
  ],
  postgres: [
    `create table feedback (feedback_id text collate "C" primary key, company_id text collate "C" not null references firms, contact_id text collate "C" not null references contacts, article text collate "C", page text collate "C" not null, rating text collate "C" not null, message text collate "C" not null, created_at bigint not null, seen_at bigint)`,
    `create index feedback_by_firm on feedback (company_id, created_at)`,
    `create index feedback_by_date on feedback (created_at)`,
  ],
};
