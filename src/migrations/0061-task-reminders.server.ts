import type { SchemaChange } from './schema-change.server.ts';

/** Emails about tasks: what is announced, reminders, promised dates, pauses, and calendars. */
export const taskReminders: SchemaChange = {
  sqlite: [
    `alter table tasks add column asked_at bigint not null default 0`,
    `update tasks set asked_at = created_at`,
    `create table task_notices (notice_id text primary key, company_id text not null references firms, contact_id text not null references contacts, task_id text not null references tasks on delete cascade, kind text not null, created_at bigint not null, told_at bigint, mail_id text)`,
    `create index task_notices_waiting on task_notices (contact_id, kind) where told_at is null`,
    `create index task_notices_of_task on task_notices (task_id)`,
    `create table task_digests (digest_id text primary key, company_id text not null references firms, contact_id text not null references contacts, local_date text not null, requested_by text, created_at bigint not null, mail_id text)`,
    `create unique index task_digests_once on task_digests (contact_id, local_date)`,
    `create table task_reminders (digest_id text not null references task_digests on delete cascade, task_id text not null references tasks on delete cascade, contact_id text not null, milestone text not null, primary key (digest_id, task_id, milestone))`,
    `create unique index task_reminders_once on task_reminders (task_id, contact_id, milestone) where milestone <> 'requested'`,
    `create table task_promises (task_id text not null references tasks on delete cascade, contact_id text not null references contacts, promised_on text not null, created_at bigint not null, primary key (task_id, contact_id))`,
    `create index task_promises_of_contact on task_promises (contact_id)`,
    `create table reminder_settings (contact_id text primary key references contacts, company_id text not null references firms, time_zone text, send_hour smallint not null, rest_days text not null, is_paused smallint not null, paused_until text)`,
    `create table unanswered_tasks (task_id text primary key references tasks on delete cascade, noted_at bigint not null)`,
    `create table calendar_feeds (contact_id text primary key references contacts, company_id text not null references firms, token_hash text not null, created_at bigint not null, read_at bigint)`,
    `create unique index calendar_feeds_by_token on calendar_feeds (token_hash)`,
  ],
  postgres: [
    `alter table tasks add column asked_at bigint not null default 0`,
    `update tasks set asked_at = created_at`,
    `create table task_notices (notice_id text collate "C" primary key, company_id text collate "C" not null references firms, contact_id text collate "C" not null references contacts, task_id text collate "C" not null references tasks on delete cascade, kind text collate "C" not null, created_at bigint not null, told_at bigint, mail_id text collate "C")`,
    `create index task_notices_waiting on task_notices (contact_id, kind) where told_at is null`,
    `create index task_notices_of_task on task_notices (task_id)`,
    `create table task_digests (digest_id text collate "C" primary key, company_id text collate "C" not null references firms, contact_id text collate "C" not null references contacts, local_date text collate "C" not null, requested_by text collate "C", created_at bigint not null, mail_id text collate "C")`,
    `create unique index task_digests_once on task_digests (contact_id, local_date)`,
    `create table task_reminders (digest_id text collate "C" not null references task_digests on delete cascade, task_id text collate "C" not null references tasks on delete cascade, contact_id text collate "C" not null, milestone text collate "C" not null, primary key (digest_id, task_id, milestone))`,
    `create unique index task_reminders_once on task_reminders (task_id, contact_id, milestone) where milestone <> 'requested'`,
    `create table task_promises (task_id text collate "C" not null references tasks on delete cascade, contact_id text collate "C" not null references contacts, promised_on text collate "C" not null, created_at bigint not null, primary key (task_id, contact_id))`,
    `create index task_promises_of_contact on task_promises (contact_id)`,
    `create table reminder_settings (contact_id text collate "C" primary key references contacts, company_id text collate "C" not null references firms, time_zone text collate "C", send_hour smallint not null, rest_days text collate "C" not null, is_paused smallint not null, paused_until text collate "C")`,
    `create table unanswered_tasks (task_id text collate "C" primary key references tasks on delete cascade, noted_at bigint not null)`,
    `create table calendar_feeds (contact_id text collate "C" primary key references contacts, company_id text collate "C" not null references firms, token_hash text collate "C" not null, created_at bigint not null, read_at bigint)`,
    `create unique index calendar_feeds_by_token on calendar_feeds (token_hash)`,
  ],
};
