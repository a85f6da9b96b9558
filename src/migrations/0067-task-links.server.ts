import type { SchemaChange } from './schema-change.server.ts';

/** Links to a step of a task for people without an account, and what they propose. */
export const taskLinks: SchemaChange = {
  sqlite: [
    `create table task_links (link_id text primary key, company_id text not null references firms, task_id text not null references tasks on delete cascade, purpose text not null, section text not null, path text not null, person text, email text, token_hash text not null, code_hash text, code_tries bigint not null, code_paused_until bigint, shows_answers smallint not null, made_by text not null, made_at bigint not null, expires_at bigint not null, opened_at bigint, revoked_at bigint)`,
    `create unique index task_links_by_token on task_links (token_hash)`,
    `create index task_links_of_task on task_links (task_id)`,
    `create table task_link_visits (visit_hash text primary key, link_id text not null references task_links on delete cascade, expires_at bigint not null)`,
    `create index task_link_visits_of_link on task_link_visits (link_id)`,
    `create table task_proposals (link_id text primary key references task_links on delete cascade, content text not null, saved_at bigint not null, sent_at bigint, decision text not null, decided_at bigint, decided_by text)`,
  ],
  postgres: [
    `create table task_links (link_id text collate "C" primary key, company_id text collate "C" not null references firms, task_id text collate "C" not null references tasks on delete cascade, purpose text collate "C" not null, section text collate "C" not null, path text collate "C" not null, person text collate "C", email text collate "C", token_hash text collate "C" not null, code_hash text collate "C", code_tries bigint not null, code_paused_until bigint, shows_answers smallint not null, made_by text collate "C" not null, made_at bigint not null, expires_at bigint not null, opened_at bigint, revoked_at bigint)`,
    `create unique index task_links_by_token on task_links (token_hash)`,
    `create index task_links_of_task on task_links (task_id)`,
    `create table task_link_visits (visit_hash text collate "C" primary key, link_id text collate "C" not null references task_links on delete cascade, expires_at bigint not null)`,
    `create index task_link_visits_of_link on task_link_visits (link_id)`,
    `create table task_proposals (link_id text collate "C" primary key references task_links on delete cascade, content text collate "C" not null, saved_at bigint not null, sent_at bigint, decision text collate "C" not null, decided_at bigint, decided_by text collate "C")`,
  ],
};
