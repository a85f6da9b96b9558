import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { SchemaChange } from './schema-change.server.ts';

/**
 * The folded names of people, by which they are listed and found: an index of all of a firm, one of its staff, and one of
 * the parts of names (three letters on SQLite, two and three on PostgreSQL). `contact_search` is an index: a copy of the
 * database builds its own.
 */
export const peopleSearch: SchemaChange = {
  sqlite: [
    ...names('text'),
    `create table contact_search (seq integer primary key, contact_id text not null unique, name_key text not null)`,
    `create virtual table contact_search_words using fts5 (name_key, content = 'contact_search', content_rowid = 'seq', tokenize = 'trigram case_sensitive 1')`,
    `create trigger contact_search_words_came after insert on contact_search begin insert into contact_search_words (rowid, name_key) values (new.seq, new.name_key); end`,
    `create trigger contact_search_words_changed after update of name_key on contact_search begin insert into contact_search_words (contact_search_words, rowid, name_key) values ('delete', old.seq, old.name_key); insert into contact_search_words (rowid, name_key) values (new.seq, new.name_key); end`,
    `create trigger contact_search_words_went after delete on contact_search begin insert into contact_search_words (contact_search_words, rowid, name_key) values ('delete', old.seq, old.name_key); end`,
    `insert into contact_search (contact_id, name_key) select contact_id, name_key from contacts`,
    `create trigger contact_search_came after insert on contacts begin insert into contact_search (contact_id, name_key) values (new.contact_id, new.name_key) on conflict (contact_id) do update set name_key = new.name_key; end`,
    `create trigger contact_search_changed after update of name_key on contacts when new.name_key <> old.name_key begin update contact_search set name_key = new.name_key where contact_id = new.contact_id; end`,
    `create trigger contact_search_went after delete on contacts begin delete from contact_search where contact_id = old.contact_id; end`,
    ...indexes(),
  ],
  postgres: [
    ...names('text collate "C"'),
    `create index contacts_by_grams on contacts using gin (client_grams(company_id, name_key)) with (fastupdate = off)`,
    ...indexes(),
  ],
  convert: async (db) => {
    await foldNames(db, { table: 'contacts', key: 'contact_id', name: sql.ref('full_name') });
    await foldNames(db, {
      table: 'invitations',
      key: 'invitation_id',
      name: sql`first_name || ' ' || last_name`,
    });
  },
};

function names(text: string): string[] {
  return ['contacts', 'invitations'].map(
    (table) => `alter table ${table} add column name_key ${text} not null default ''`,
  );
}

function indexes(): string[] {
  return [
    `drop index contacts_by_name`,
    `drop index invitations_by_name`,
    // with removed_at, without which SQLite reads the rows, too
    `create index contacts_by_name on contacts (company_id, name_key, contact_id, removed_at) where removed_at is null`,
    `create index staff_by_name on contacts (company_id, name_key, contact_id) where staff = 1`,
    `create index invitations_by_name on invitations (company_id, name_key, invitation_id) where accepted_at is null and revoked_at is null`,
  ];
}

const PAGE = 1000;

/** Fills the folded names of before, as `fold` of the database does, whose module imports this one. */
async function foldNames(
  db: Kysely<never>,
  { table, key, name }: { table: string; key: string; name: RawBuilder<unknown> },
): Promise<void> {
  for (let last = ''; ;) {
    const { rows } = await sql<{
      id: string;
      name: string;
    }>`select ${sql.ref(key)} as id, ${name} as name from ${sql.table(table)} where ${sql.ref(key)} > ${last} order by ${sql.ref(key)} limit ${PAGE}`.execute(
      db,
    );
    for (const row of rows)
      await sql`update ${sql.table(table)} set name_key = ${folded(row.name)} where ${sql.ref(key)} = ${row.id}`.execute(
        db,
      );
    last = rows.at(-1)?.id ?? '';
    if (rows.length < PAGE) return;
  }
}

const folded = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC');
