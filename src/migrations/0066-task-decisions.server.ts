import type { SchemaChange } from './schema-change.server.ts';

/** What the firm decides about the single items of a submission. */
export const taskDecisions: SchemaChange = {
  sqlite: [
    `create table task_decisions (decision_id text primary key, task_id text not null references tasks on delete cascade, submission bigint not null, path text not null, sequence bigint not null, decision text not null, reason text, decided_at bigint not null, decided_by text not null)`,
    `create unique index task_decisions_once on task_decisions (task_id, submission, path, sequence)`,
  ],
  postgres: [
    `create table task_decisions (decision_id text collate "C" primary key, task_id text collate "C" not null references tasks on delete cascade, submission bigint not null, path text collate "C" not null, sequence bigint not null, decision text collate "C" not null, reason text collate "C", decided_at bigint not null, decided_by text collate "C" not null)`,
    `create unique index task_decisions_once on task_decisions (task_id, submission, path, sequence)`,
  ],
};
