import type { SchemaChange } from './schema-change.server.ts';

/** Templates of tasks, batches that create or change many tasks, and who is responsible for a task. */
export const taskTemplates: SchemaChange = {
  sqlite: [
    `create table task_templates (template_id text primary key, company_id text not null references firms, name text not null, name_key text not null, type text not null, starter text not null, created_at bigint not null, created_by text not null, archived_at bigint)`,
    `create index task_templates_of_firm on task_templates (company_id, name_key, template_id)`,
    `create table task_template_versions (template_id text not null references task_templates on delete cascade, version bigint not null, state text not null, revision bigint not null, due_rule text not null, body text not null, changed_at bigint not null, published_at bigint, published_by text, primary key (template_id, version))`,
    `create table task_batches (batch_id text primary key, company_id text not null references firms, created_by text not null, action text not null, state text not null, input text not null, total bigint not null, position bigint not null, created_at bigint not null, moved_at bigint not null, finished_at bigint)`,
    `create index task_batches_of_firm on task_batches (company_id, created_at)`,
    `create table task_batch_rows (batch_id text not null references task_batches on delete cascade, number bigint not null, client_id text not null, task_id text not null, state text not null, problem text not null, before_value text not null, primary key (batch_id, number))`,
    `alter table tasks add column responsible text`,
    `alter table tasks add column template_id text`,
    `alter table tasks add column template_version bigint`,
    `alter table tasks add column template_name text not null default ''`,
    `create index tasks_of_template on tasks (company_id, template_id, tax_year, client_id) where template_id is not null and deleted_at is null`,
    `create index tasks_of_responsible on tasks (company_id, responsible, coalesce(due_on, '9999-12-31'), task_id) where deleted_at is null`,
  ],
  postgres: [
    `create table task_templates (template_id text collate "C" primary key, company_id text collate "C" not null references firms, name text collate "C" not null, name_key text collate "C" not null, type text collate "C" not null, starter text collate "C" not null, created_at bigint not null, created_by text collate "C" not null, archived_at bigint)`,
    `create index task_templates_of_firm on task_templates (company_id, name_key, template_id)`,
    `create table task_template_versions (template_id text collate "C" not null references task_templates on delete cascade, version bigint not null, state text collate "C" not null, revision bigint not null, due_rule text collate "C" not null, body text collate "C" not null, changed_at bigint not null, published_at bigint, published_by text collate "C", primary key (template_id, version))`,
    `create table task_batches (batch_id text collate "C" primary key, company_id text collate "C" not null references firms, created_by text collate "C" not null, action text collate "C" not null, state text collate "C" not null, input text collate "C" not null, total bigint not null, position bigint not null, created_at bigint not null, moved_at bigint not null, finished_at bigint)`,
    `create index task_batches_of_firm on task_batches (company_id, created_at)`,
    `create table task_batch_rows (batch_id text collate "C" not null references task_batches on delete cascade, number bigint not null, client_id text collate "C" not null, task_id text collate "C" not null, state text collate "C" not null, problem text collate "C" not null, before_value text collate "C" not null, primary key (batch_id, number))`,
    `alter table tasks add column responsible text collate "C"`,
    `alter table tasks add column template_id text collate "C"`,
    `alter table tasks add column template_version bigint`,
    `alter table tasks add column template_name text collate "C" not null default ''`,
    `create index tasks_of_template on tasks (company_id, template_id, tax_year, client_id) where template_id is not null and deleted_at is null`,
    `create index tasks_of_responsible on tasks (company_id, responsible, coalesce(due_on, '9999-12-31'), task_id) where deleted_at is null`,
  ],
};
