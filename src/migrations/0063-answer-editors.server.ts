import type { SchemaChange } from './schema-change.server.ts';

/** Which tab wrote an answer, with which of its changes, so that late and repeated messages are recognized. */
export const answerEditors: SchemaChange = {
  sqlite: [
    `alter table task_answers add column changed_by_tab text not null default ''`,
    `alter table task_answers add column tab_sequence bigint not null default 0`,
    `alter table task_kept_answers add column kept_by_tab text not null default ''`,
    `alter table task_kept_answers add column tab_sequence bigint not null default 0`,
  ],
  postgres: [
    `alter table task_answers add column changed_by_tab text collate "C" not null default ''`,
    `alter table task_answers add column tab_sequence bigint not null default 0`,
    `alter table task_kept_answers add column kept_by_tab text collate "C" not null default ''`,
    `alter table task_kept_answers add column tab_sequence bigint not null default 0`,
  ],
};
