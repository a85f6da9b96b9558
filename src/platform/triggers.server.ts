import { sql, type Kysely } from 'kysely';

/** Makes the database itself refuse to change or remove a row of a table: whoever finds a way past the program still leaves a trace. */
export async function insertOnly(db: Kysely<never>, table: 'audit', postgres: boolean): Promise<void> {
  if (!postgres) {
    await sql`create trigger audit_is_not_changed before update on ${sql.table(table)} begin select raise(abort, 'the audit trail is insert-only'); end`.execute(db);
    await sql`create trigger audit_is_not_removed before delete on ${sql.table(table)} begin select raise(abort, 'the audit trail is insert-only'); end`.execute(db);
    // SQLite asks no trigger about the row that an `insert or replace` removes.
    await sql`create trigger audit_is_not_replaced before insert on ${sql.table(table)} when exists (select 1 from ${sql.table(table)} where company_id = new.company_id and seq = new.seq)
      begin select raise(abort, 'the audit trail is insert-only'); end`.execute(db);
    return;
  }
  await sql`create function refuse_change() returns trigger language plpgsql as 'begin raise exception ''the audit trail is insert-only''; end'`.execute(db);
  await sql`create trigger audit_is_insert_only before update or delete or truncate on ${sql.table(table)} for each statement execute function refuse_change()`.execute(db);
}

/** Keeps `containers.document_count`, the documents of a container that are not deleted, whoever writes: a list needs no counting, however long it is. */
export async function countDocuments(db: Kysely<never>, postgres: boolean): Promise<void> {
  const came = sql`update containers set document_count = document_count + 1 where container_id = new.container_id and new.deleted_at is null;`;
  const went = sql`update containers set document_count = document_count - 1 where container_id = old.container_id and old.deleted_at is null;`;
  if (!postgres) {
    await sql`create trigger document_came after insert on documents begin ${came} end`.execute(db);
    await sql`create trigger document_went after delete on documents begin ${went} end`.execute(db);
    await sql`create trigger document_changed after update of container_id, deleted_at on documents begin ${went} ${came} end`.execute(db);
    return;
  }
  await sql`create function count_documents() returns trigger language plpgsql as $body$ begin
    if tg_op <> 'INSERT' then ${went} end if;
    if tg_op <> 'DELETE' then ${came} end if;
    return null; end $body$`.execute(db);
  await sql`create trigger documents_are_counted after insert or delete or update of container_id, deleted_at on documents for each row execute function count_documents()`.execute(db);
}

/** Keeps an index of the words in the names of documents, by client, whoever writes: {@link seqsNamed} of the database asks it. */
export async function findNames(db: Kysely<never>, postgres: boolean): Promise<void> {
  if (postgres) {
    await sql`create function words_of(name text) returns tsvector language sql immutable parallel safe as $body$ select to_tsvector('simple', translate(name, '!"#$%&''()*+,-./:;<=>?@[]^_{|}~', repeat(' ', 30))) $body$`.execute(db);
    await sql`create index documents_by_words on documents using gin (words_of(name_key))`.execute(db);
    return;
  }
  const came = sql`insert into document_words (rowid, client_id, name_key) values (new.seq, new.client_id, new.name_key);`;
  const went = sql`insert into document_words (document_words, rowid, client_id, name_key) values ('delete', old.seq, old.client_id, old.name_key);`;
  await sql`create virtual table document_words using fts5 (client_id, name_key, content = 'documents', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 0')`.execute(db);
  await sql`insert into document_words (document_words) values ('rebuild')`.execute(db);
  await sql`create trigger document_words_came after insert on documents begin ${came} end`.execute(db);
  await sql`create trigger document_words_went after delete on documents begin ${went} end`.execute(db);
  await sql`create trigger document_words_changed after update of client_id, name_key on documents begin ${went} ${came} end`.execute(db);
}

/** Keeps `documents.comments_count` the same way. */
export async function countComments(db: Kysely<never>, postgres: boolean): Promise<void> {
  const came = sql`update documents set comments_count = comments_count + 1 where document_id = new.document_id;`;
  const went = sql`update documents set comments_count = comments_count - 1 where document_id = old.document_id;`;
  if (!postgres) {
    await sql`create trigger comment_came after insert on comments begin ${came} end`.execute(db);
    await sql`create trigger comment_went after delete on comments begin ${went} end`.execute(db);
    return;
  }
  await sql`create function count_comments() returns trigger language plpgsql as $body$ begin
    if tg_op = 'DELETE' then ${went} else ${came} end if;
    return null; end $body$`.execute(db);
  await sql`create trigger comments_are_counted after insert or delete on comments for each row execute function count_comments()`.execute(db);
}
