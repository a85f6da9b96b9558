import type { SchemaChange } from './schema-change.server.ts';

/** Tasks in groups, their steps, what is entered in them, and what is submitted. */
export const tasks: SchemaChange = {
  sqlite: [
    `create table task_groups (group_id text primary key, company_id text not null references firms, client_id text not null references clients, type text not null, tax_year bigint, label text not null, label_key text not null, due_on text, expires_on text, tags text not null, created_at bigint not null, created_by text not null, status text not null, completed_on text, pending_count bigint not null, task_count bigint not null)`,
    `create index task_groups_pending on task_groups (client_id, coalesce(due_on, '9999-12-31'), label_key, group_id) where pending_count > 0`,
    `create index task_groups_complete on task_groups (client_id, completed_on, label_key, group_id) where pending_count = 0 and task_count > 0`,
    `create table tasks (task_id text primary key, company_id text not null references firms, group_id text not null references task_groups, client_id text not null references clients, type text not null, kind text not null, tax_year bigint, label text not null, label_key text not null, position bigint not null, status text not null, due_on text, expires_on text, version bigint not null, parent_task_id text, accepted_by text not null, is_mandatory smallint not null, send_notification smallint not null, tags text not null, data text not null, triggers text, created_at bigint not null, created_by text not null, changed_at bigint not null, submitted_at bigint, submission bigint not null, deleted_at bigint, deleted_by text)`,
    `create index tasks_of_group on tasks (group_id, position)`,
    `create index tasks_of_client on tasks (client_id, status)`,
    `create index tasks_of_firm on tasks (company_id, coalesce(due_on, '9999-12-31'), task_id) where deleted_at is null`,
    `create index tasks_received on tasks (company_id, submitted_at) where status = 'Received' and deleted_at is null`,
    `create table task_steps (step_id text primary key, task_id text not null references tasks on delete cascade, number bigint not null, is_required smallint not null, version bigint not null, is_settled smallint not null, data text not null)`,
    `create unique index task_steps_of_task on task_steps (task_id, number)`,
    `create table task_answers (answer_id text primary key, task_id text not null references tasks on delete cascade, path text not null, value text not null, version bigint not null, changed_at bigint not null, changed_by text not null)`,
    `create unique index task_answers_of_task on task_answers (task_id, path)`,
    `create table task_submissions (submission_id text primary key, task_id text not null references tasks on delete cascade, number bigint not null, submitted_at bigint not null, submitted_by text not null, content text not null, content_sha256 text not null, receipt bigint, opened_at bigint, opened_by text, taken_back_at bigint, decision text not null, reason text, decided_at bigint, decided_by text)`,
    `create unique index task_submissions_of_task on task_submissions (task_id, number)`,
  ],
  postgres: [
    `create table task_groups (group_id text collate "C" primary key, company_id text collate "C" not null references firms, client_id text collate "C" not null references clients, type text collate "C" not null, tax_year bigint, label text collate "C" not null, label_key text collate "C" not null, due_on text collate "C", expires_on text collate "C", tags text collate "C" not null, created_at bigint not null, created_by text collate "C" not null, status text collate "C" not null, completed_on text collate "C", pending_count bigint not null, task_count bigint not null)`,
    `create index task_groups_pending on task_groups (client_id, coalesce(due_on, '9999-12-31'), label_key, group_id) where pending_count > 0`,
    `create index task_groups_complete on task_groups (client_id, completed_on, label_key, group_id) where pending_count = 0 and task_count > 0`,
    `create table tasks (task_id text collate "C" primary key, company_id text collate "C" not null references firms, group_id text collate "C" not null references task_groups, client_id text collate "C" not null references clients, type text collate "C" not null, kind text collate "C" not null, tax_year bigint, label text collate "C" not null, label_key text collate "C" not null, position bigint not null, status text collate "C" not null, due_on text collate "C", expires_on text collate "C", version bigint not null, parent_task_id text collate "C", accepted_by text collate "C" not null, is_mandatory smallint not null, send_notification smallint not null, tags text collate "C" not null, data text collate "C" not null, triggers text collate "C", created_at bigint not null, created_by text collate "C" not null, changed_at bigint not null, submitted_at bigint, submission bigint not null, deleted_at bigint, deleted_by text collate "C")`,
    `create index tasks_of_group on tasks (group_id, position)`,
    `create index tasks_of_client on tasks (client_id, status)`,
    `create index tasks_of_firm on tasks (company_id, coalesce(due_on, '9999-12-31'), task_id) where deleted_at is null`,
    `create index tasks_received on tasks (company_id, submitted_at) where status = 'Received' and deleted_at is null`,
    `create table task_steps (step_id text collate "C" primary key, task_id text collate "C" not null references tasks on delete cascade, number bigint not null, is_required smallint not null, version bigint not null, is_settled smallint not null, data text collate "C" not null)`,
    `create unique index task_steps_of_task on task_steps (task_id, number)`,
    `create table task_answers (answer_id text collate "C" primary key, task_id text collate "C" not null references tasks on delete cascade, path text collate "C" not null, value text collate "C" not null, version bigint not null, changed_at bigint not null, changed_by text collate "C" not null)`,
    `create unique index task_answers_of_task on task_answers (task_id, path)`,
    `create table task_submissions (submission_id text collate "C" primary key, task_id text collate "C" not null references tasks on delete cascade, number bigint not null, submitted_at bigint not null, submitted_by text collate "C" not null, content text collate "C" not null, content_sha256 text collate "C" not null, receipt bigint, opened_at bigint, opened_by text collate "C", taken_back_at bigint, decision text collate "C" not null, reason text collate "C", decided_at bigint, decided_by text collate "C")`,
    `create unique index task_submissions_of_task on task_submissions (task_id, number)`,
  ],
};
