import type { SchemaChange } from './schema-change.server.ts';

/** Messages between the firm and the client about a task, and up to which number each person has read them. */
export const taskMessages: SchemaChange = {
  sqlite: [
    `create table task_messages (message_id text primary key, company_id text not null references firms, task_id text not null references tasks on delete cascade, number bigint not null, body text, is_internal smallint not null, by_staff smallint not null, created_by text not null references contacts, created_at bigint not null, withdrawn_at bigint)`,
    `create unique index task_messages_of_task on task_messages (task_id, number)`,
    `create table task_reads (task_id text not null references tasks on delete cascade, contact_id text not null references contacts on delete cascade, read_number bigint not null, primary key (task_id, contact_id))`,
    `create index task_reads_by_contact on task_reads (contact_id)`,
  ],
  postgres: [
    `create table task_messages (message_id text collate "C" primary key, company_id text collate "C" not null references firms, task_id text collate "C" not null references tasks on delete cascade, number bigint not null, body text collate "C", is_internal smallint not null, by_staff smallint not null, created_by text collate "C" not null references contacts, created_at bigint not null, withdrawn_at bigint)`,
    `create unique index task_messages_of_task on task_messages (task_id, number)`,
    `create table task_reads (task_id text collate "C" not null references tasks on delete cascade, contact_id text collate "C" not null references contacts on delete cascade, read_number bigint not null, primary key (task_id, contact_id))`,
    `create index task_reads_by_contact on task_reads (contact_id)`,
  ],
};
