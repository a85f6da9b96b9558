import type { SchemaChange } from './schema-change.server.ts';

/** Also an index of the words in document names, by client, used by `documentSeqsByName`. */
export const containers: SchemaChange = {
  sqlite: [
    `create table container_roles (container_id text not null references containers, contact_id text not null references contacts, role text not null, primary key (contact_id, container_id))`,
    `create table item_locks (item_id text not null, kind text not null, level text not null, client_id text not null references clients, locked_by text not null references contacts,
  locked_at bigint not null, primary key (item_id, kind))`,
    `create index documents_of_container_by_size on documents (container_id, size, document_id) where deleted_at is null
`,
    `create virtual table document_words using fts5 (client_id, name_key, content = 'documents', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 0')`,
    `insert into document_words (document_words) values ('rebuild')`,
    `create trigger document_words_came after insert on documents begin insert into document_words (rowid, client_id, name_key) values (new.seq, new.client_id, new.name_key); end`,
    `create trigger document_words_went after delete on documents begin insert into document_words (document_words, rowid, client_id, name_key) values ('delete', old.seq, old.client_id, old.name_key); end`,
    `create trigger document_words_changed after update of client_id, name_key on documents begin insert into document_words (document_words, rowid, client_id, name_key) values ('delete', old.seq, old.client_id, old.name_key); insert into document_words (rowid, client_id, name_key) values (new.seq, new.client_id, new.name_key); end`,
  ],
  postgres: [
    `create table container_roles (container_id text collate "C" not null references containers, contact_id text collate "C" not null references contacts, role text collate "C" not null, primary key (contact_id, container_id))`,
    `create table item_locks (item_id text collate "C" not null, kind text collate "C" not null, level text collate "C" not null, client_id text collate "C" not null references clients, locked_by text collate "C" not null references contacts,
  locked_at bigint not null, primary key (item_id, kind))`,
    `create index documents_of_container_by_size on documents (container_id, size, document_id) where deleted_at is null`,
    `create function words_of(name text) returns tsvector language sql immutable parallel safe as $body$ select to_tsvector('simple', translate(name, '!"#$%&''()*+,-./:;<=>?@[]^_{|}~', repeat(' ', 30))) $body$`,
    `create index documents_by_words on documents using gin (words_of(name_key))`,
  ],
};
