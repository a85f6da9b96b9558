import { sql, type Kysely, type RawBuilder } from 'kysely';

/** Makes a table insert-only in the database itself: bypassing the application leaves a trace. */
export async function insertOnly(db: Kysely<never>, table: 'audit', postgres: boolean): Promise<void> {
  if (!postgres) {
    await sql`create trigger audit_is_not_changed before update on ${sql.table(table)} begin select raise(abort, 'the audit trail is insert-only'); end`.execute(
      db,
    );
    await sql`create trigger audit_is_not_removed before delete on ${sql.table(table)} begin select raise(abort, 'the audit trail is insert-only'); end`.execute(
      db,
    );
    // SQLite asks no trigger about the row that an `insert or replace` removes.
    await sql`create trigger audit_is_not_replaced before insert on ${sql.table(table)} when exists (select 1 from ${sql.table(table)} where company_id = new.company_id and seq = new.seq)
      begin select raise(abort, 'the audit trail is insert-only'); end`.execute(db);
    return;
  }
  await sql`create function refuse_change() returns trigger language plpgsql as 'begin raise exception ''the audit trail is insert-only''; end'`.execute(
    db,
  );
  await sql`create trigger audit_is_insert_only before update or delete or truncate on ${sql.table(table)} for each statement execute function refuse_change()`.execute(
    db,
  );
}

/**
 * Maintains `containers.document_count`, the number of documents that are not deleted, by triggers, so that
 * lists need no counting.
 */
export async function countDocuments(db: Kysely<never>, postgres: boolean): Promise<void> {
  const came = sql`update containers set document_count = document_count + 1 where container_id = new.container_id and new.deleted_at is null;`;
  const went = sql`update containers set document_count = document_count - 1 where container_id = old.container_id and old.deleted_at is null;`;
  if (!postgres) {
    await sql`create trigger document_came after insert on documents begin ${came} end`.execute(db);
    await sql`create trigger document_went after delete on documents begin ${went} end`.execute(db);
    await sql`create trigger document_changed after update of container_id, deleted_at on documents begin ${went} ${came} end`.execute(
      db,
    );
    return;
  }
  await sql`create function count_documents() returns trigger language plpgsql as $body$ begin
    if tg_op <> 'INSERT' then ${went} end if;
    if tg_op <> 'DELETE' then ${came} end if;
    return null; end $body$`.execute(db);
  await sql`create trigger documents_are_counted after insert or delete or update of container_id, deleted_at on documents for each row execute function count_documents()`.execute(
    db,
  );
}

/** Maintains an index of the words in document names, by client, used by {@link documentSeqsByName}. */
export async function findNames(db: Kysely<never>, postgres: boolean): Promise<void> {
  if (postgres) {
    await sql`create function words_of(name text) returns tsvector language sql immutable parallel safe as $body$ select to_tsvector('simple', translate(name, '!"#$%&''()*+,-./:;<=>?@[]^_{|}~', repeat(' ', 30))) $body$`.execute(
      db,
    );
    await sql`create index documents_by_words on documents using gin (words_of(name_key))`.execute(db);
    return;
  }
  const came = sql`insert into document_words (rowid, client_id, name_key) values (new.seq, new.client_id, new.name_key);`;
  const went = sql`insert into document_words (document_words, rowid, client_id, name_key) values ('delete', old.seq, old.client_id, old.name_key);`;
  await sql`create virtual table document_words using fts5 (client_id, name_key, content = 'documents', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 0')`.execute(
    db,
  );
  await sql`insert into document_words (document_words) values ('rebuild')`.execute(db);
  await sql`create trigger document_words_came after insert on documents begin ${came} end`.execute(db);
  await sql`create trigger document_words_went after delete on documents begin ${went} end`.execute(db);
  await sql`create trigger document_words_changed after update of client_id, name_key on documents begin ${went} ${came} end`.execute(
    db,
  );
}

/**
 * Adds prefixes of up to eight letters to that index: searching for a letter or a common word no longer scans
 * all matching words. PostgreSQL keeps its index.
 */
export async function findBeginnings(db: Kysely<never>, postgres: boolean): Promise<void> {
  if (postgres) return;
  await sql`drop table document_words`.execute(db);
  await sql`create virtual table document_words using fts5 (client_id, name_key, content = 'documents', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 0', prefix = '1 2 3 4 5 6 7 8')`.execute(
    db,
  );
  await sql`insert into document_words (document_words) values ('rebuild')`.execute(db);
}

/** The unread documents of contacts, by definition. */
const notReadByContact = sql`select documents.document_id, client_contacts.contact_id, documents.client_id, documents.created_at
  from documents join client_contacts on client_contacts.client_id = documents.client_id
  where documents.deleted_at is null and not exists
    (select 1 from document_reads where document_reads.document_id = documents.document_id and document_reads.contact_id = client_contacts.contact_id)`;

/** The documents that nobody has read, for staff; stored with an empty contact id. */
const notReadByAnybody = sql`select documents.document_id, '' as contact_id, documents.client_id, documents.created_at
  from documents
  where documents.deleted_at is null and not exists (select 1 from document_reads where document_reads.document_id = documents.document_id)`;

/** What `unread` must contain. */
export const unreadDefinition = sql`${notReadByContact} union all ${notReadByAnybody}`;

/**
 * Maintains `unread` by triggers: uploads add to it, reads remove from it. So listing and counting unread
 * documents costs as much as there are of them. It is an index: a copy of the database builds its own.
 */
export async function keepUnread(db: Kysely<never>, postgres: boolean): Promise<void> {
  await sql`create table unread (document_id text not null, contact_id text not null, client_id text not null, created_at bigint not null, primary key (document_id, contact_id))`.execute(
    db,
  );
  await sql`create index unread_of_contact on unread (contact_id, client_id, created_at, document_id)`.execute(
    db,
  );
  await sql`create index contacts_of_client on client_contacts (client_id)`.execute(db);
  await sql`insert into unread ${unreadDefinition}`.execute(db);
  for (const kept of KEPT_FOR_UNREAD) await (postgres ? keepOnPostgres : keepOnSqlite)(db, kept);
}

const addForContacts = (which: RawBuilder<unknown>) =>
  sql`insert into unread ${notReadByContact} and ${which} on conflict do nothing;`;
const addForAnybody = (which: RawBuilder<unknown>) =>
  sql`insert into unread ${notReadByAnybody} and ${which} on conflict do nothing;`;

interface Kept {
  name: string;
  table: string;
  /** Columns whose change counts as a removal and an insertion. */
  columns: readonly string[];
  came: RawBuilder<unknown>;
  went: RawBuilder<unknown>;
}

const KEPT_FOR_UNREAD: readonly Kept[] = [
  {
    name: 'unread_documents',
    table: 'documents',
    columns: ['client_id', 'created_at', 'deleted_at'],
    came: sql`${addForContacts(sql`documents.document_id = new.document_id`)} ${addForAnybody(sql`documents.document_id = new.document_id`)}`,
    went: sql`delete from unread where document_id = old.document_id;`,
  },
  {
    name: 'unread_reads',
    table: 'document_reads',
    columns: ['document_id', 'contact_id'],
    came: sql`delete from unread where document_id = new.document_id and contact_id in (new.contact_id, '');`,
    went: sql`${addForContacts(sql`documents.document_id = old.document_id and client_contacts.contact_id = old.contact_id`)} ${addForAnybody(sql`documents.document_id = old.document_id`)}`,
  },
  {
    name: 'unread_links',
    table: 'client_contacts',
    columns: ['client_id', 'contact_id'],
    came: addForContacts(
      sql`documents.client_id = new.client_id and client_contacts.contact_id = new.contact_id`,
    ),
    went: sql`delete from unread where contact_id = old.contact_id and client_id = old.client_id;`,
  },
];

const changeOf = (columns: readonly string[]) =>
  sql`update of ${sql.join(columns.map((column) => sql.ref(column)))}`;

async function keepOnSqlite(db: Kysely<never>, { name, table, columns, came, went }: Kept): Promise<void> {
  const trigger = (suffix: string, event: RawBuilder<unknown>, work: RawBuilder<unknown>) =>
    sql`create trigger ${sql.ref(`${name}_${suffix}`)} after ${event} on ${sql.table(table)} begin ${work} end`.execute(
      db,
    );
  await trigger('came', sql`insert`, came);
  await trigger('went', sql`delete`, went);
  await trigger('changed', changeOf(columns), sql`${went} ${came}`);
}

async function keepOnPostgres(db: Kysely<never>, { name, table, columns, came, went }: Kept): Promise<void> {
  const work = sql.ref(`keep_${name}`);
  await sql`create function ${work}() returns trigger language plpgsql as $body$ begin
    if tg_op <> 'INSERT' then ${went} end if;
    if tg_op <> 'DELETE' then ${came} end if;
    return null; end $body$`.execute(db);
  await sql`create trigger ${sql.ref(name)} after insert or delete or ${changeOf(columns)} on ${sql.table(table)} for each row execute function ${work}()`.execute(
    db,
  );
}

/** Maintains `documents.comments_count` the same way. */
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
  await sql`create trigger comments_are_counted after insert or delete on comments for each row execute function count_comments()`.execute(
    db,
  );
}
