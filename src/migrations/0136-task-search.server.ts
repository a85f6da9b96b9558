import type { SchemaChange } from './schema-change.server.ts';

/**
 * An index of the parts of titles of tasks (three letters on SQLite, two and three on PostgreSQL), as there is one of
 * clients and of people (docs/decisions/0059): the search of everything finds a task as soon in a firm of any size.
 * `task_search` is an index: a copy of the database builds its own.
 */
export const taskSearch: SchemaChange = {
  sqlite: [
    `create table task_search (seq integer primary key, task_id text not null unique, company_id text not null, label_key text not null)`,
    `create virtual table task_search_words using fts5 (label_key, content = 'task_search', content_rowid = 'seq', tokenize = 'trigram case_sensitive 1')`,
    `create trigger task_search_words_came after insert on task_search begin insert into task_search_words (rowid, label_key) values (new.seq, new.label_key); end`,
    `create trigger task_search_words_changed after update of label_key on task_search begin insert into task_search_words (task_search_words, rowid, label_key) values ('delete', old.seq, old.label_key); insert into task_search_words (rowid, label_key) values (new.seq, new.label_key); end`,
    `create trigger task_search_words_went after delete on task_search begin insert into task_search_words (task_search_words, rowid, label_key) values ('delete', old.seq, old.label_key); end`,
    `insert into task_search (task_id, company_id, label_key) select task_id, company_id, label_key from tasks`,
    `create trigger task_search_came after insert on tasks begin insert into task_search (task_id, company_id, label_key) values (new.task_id, new.company_id, new.label_key) on conflict (task_id) do update set label_key = new.label_key; end`,
    `create trigger task_search_changed after update of label_key on tasks when new.label_key <> old.label_key begin update task_search set label_key = new.label_key where task_id = new.task_id; end`,
    `create trigger task_search_went after delete on tasks begin delete from task_search where task_id = old.task_id; end`,
  ],
  postgres: [
    `create index tasks_by_grams on tasks using gin (client_grams(company_id, label_key)) with (fastupdate = off)`,
  ],
};
