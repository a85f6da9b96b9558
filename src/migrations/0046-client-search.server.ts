import { sql, type Kysely } from 'kysely';
import type { SchemaChange } from './schema-change.server.ts';

const ORDER = 'company_id, client_name_key, client_code_key, is_archived';
const ORDER_OF_CLIENT =
  'clients.company_id, clients.name_key, clients.code_key, case when clients.archived_at is null then 0 else 1 end';

/** What the list needs of a client that a search finds. */
const LISTED = 'company_id, name_key, code_key, kind, search_key, archived_at, merged_into';
const LISTED_NEW = LISTED.split(', ')
  .map((column) => `new.${column}`)
  .join(', ');

/**
 * The text by which a client is found, with an index of its parts (three letters on SQLite, two and three on
 * PostgreSQL), and lists of the clients of a tag or of a responsible person in the order of their names and
 * numbers: so finding clients takes as long in a firm of any size (docs/decisions/0059). Triggers copy the
 * order into tags and assignments. `client_search` is an index: a copy of the database builds its own.
 */
export const clientSearch: SchemaChange = {
  sqlite: [
    `alter table clients add column search_key text not null default ''`,
    // with archived_at, without which SQLite reads the rows, too
    `drop index current_clients_by_name`,
    `create index current_clients_by_name on clients (company_id, name_key, client_id, archived_at, search_key) where archived_at is null`,
    `create table client_search (seq integer primary key, client_id text not null unique, ${LISTED})`,
    `create virtual table client_search_words using fts5 (search_key, content = 'client_search', content_rowid = 'seq', tokenize = 'trigram case_sensitive 1')`,
    `create trigger client_search_words_came after insert on client_search begin insert into client_search_words (rowid, search_key) values (new.seq, new.search_key); end`,
    `create trigger client_search_words_changed after update of search_key on client_search begin insert into client_search_words (client_search_words, rowid, search_key) values ('delete', old.seq, old.search_key); insert into client_search_words (rowid, search_key) values (new.seq, new.search_key); end`,
    `create trigger client_search_words_went after delete on client_search begin insert into client_search_words (client_search_words, rowid, search_key) values ('delete', old.seq, old.search_key); end`,
    `insert into client_search (client_id, ${LISTED}) select client_id, ${LISTED} from clients`,
    `create trigger client_search_came after insert on clients begin insert into client_search (client_id, ${LISTED}) values (new.client_id, ${LISTED_NEW}) on conflict (client_id) do update set (${LISTED}) = (${LISTED_NEW}); end`,
    `create trigger client_search_changed after update of ${LISTED} on clients begin update client_search set (${LISTED}) = (${LISTED_NEW}) where client_id = new.client_id; end`,
    `create trigger client_search_went after delete on clients begin delete from client_search where client_id = old.client_id; end`,
    ...orderedColumns('text'),
    ...['client_tags', 'staff_clients'].map(
      (table) =>
        `create trigger ${table}_ordered after insert on ${table} begin update ${table} set (${ORDER}) = (select ${ORDER_OF_CLIENT} from clients where clients.client_id = new.client_id) where rowid = new.rowid; end`,
    ),
    `create trigger clients_ordered after update of name_key, code_key, archived_at on clients begin ${[
      'client_tags',
      'staff_clients',
    ]
      .map(
        (table) =>
          `update ${table} set client_name_key = new.name_key, client_code_key = new.code_key, is_archived = new.archived_at is not null where client_id = new.client_id;`,
      )
      .join(' ')} end`,
    ...indexes(),
  ],
  postgres: [
    `alter table clients add column search_key text collate "C" not null default ''`,
    `create function gram_keys(company_id text, content text, size integer) returns bigint[] language plpgsql immutable parallel safe cost 1000 as $body$
    declare keys bigint[] = '{}';
    begin
      for start in 1 .. char_length(content) - size + 1 loop
        keys = keys || hashtextextended((company_id || ' ' || substr(content, start, size)) collate "C", 0);
      end loop;
      return keys;
    end $body$`,
    `create function client_grams(company_id text, content text) returns bigint[] language sql immutable parallel safe cost 1000 as $body$
    select gram_keys(company_id, content, 2) || gram_keys(company_id, content, 3) $body$`,
    `create index clients_by_grams on clients using gin (client_grams(company_id, search_key)) with (fastupdate = off)`,
    ...orderedColumns('text collate "C"'),
    `create function keep_client_order() returns trigger language plpgsql as $body$ begin
      select clients.company_id, clients.name_key, clients.code_key, (clients.archived_at is not null)::int
        into new.company_id, new.client_name_key, new.client_code_key, new.is_archived
        from clients where clients.client_id = new.client_id;
      return new; end $body$`,
    ...['client_tags', 'staff_clients'].map(
      (table) =>
        `create trigger ${table}_ordered before insert on ${table} for each row execute function keep_client_order()`,
    ),
    `create function pass_client_order() returns trigger language plpgsql as $body$ begin
      ${['client_tags', 'staff_clients']
        .map(
          (table) =>
            `update ${table} set client_name_key = new.name_key, client_code_key = new.code_key, is_archived = (new.archived_at is not null)::int where client_id = new.client_id;`,
        )
        .join(' ')}
      return null; end $body$`,
    `create trigger clients_ordered after update of name_key, code_key, archived_at on clients for each row execute function pass_client_order()`,
    ...indexes(),
  ],
  convert: fillSearchKeys,
};

/** The columns by which tags and assignments are listed, filled for those of before. */
function orderedColumns(text: string): string[] {
  return [
    `alter table staff_clients add column company_id ${text} not null default ''`,
    ...['client_tags', 'staff_clients'].flatMap((table) => [
      `alter table ${table} add column client_name_key ${text} not null default ''`,
      `alter table ${table} add column client_code_key ${text} not null default ''`,
      `alter table ${table} add column is_archived smallint not null default 0`,
      `update ${table} set (${ORDER}) = (select ${ORDER_OF_CLIENT} from clients where clients.client_id = ${table}.client_id)`,
    ]),
  ];
}

function indexes(): string[] {
  return [
    `drop index clients_by_tag`,
    `create index tagged_clients_by_name on client_tags (company_id, tag_key, is_archived, client_name_key, client_id)`,
    `create index tagged_clients_by_code on client_tags (company_id, tag_key, is_archived, client_code_key, client_id)`,
    `create index responsible_by_name on staff_clients (company_id, contact_id, is_archived, client_name_key, client_id, is_responsible) where is_responsible = 1`,
    `create index responsible_by_code on staff_clients (company_id, contact_id, is_archived, client_code_key, client_id, is_responsible) where is_responsible = 1`,
    `create index current_clients_of_kind_by_name on clients (company_id, kind, name_key, client_id) where archived_at is null`,
    `create index current_clients_of_kind_by_code on clients (company_id, kind, code_key, client_id) where archived_at is null`,
  ];
}

const PAGE = 1000;

/** Fills the texts of the clients of before, as `searchKeyOf` of the feature does. */
async function fillSearchKeys(db: Kysely<never>): Promise<void> {
  for (let last = ''; ;) {
    const { rows } = await sql<{
      client_id: string;
      name: string;
      doing_business_as: string | null;
      code: string;
    }>`select client_id, name, doing_business_as, code from clients where client_id > ${last} order by client_id limit ${PAGE}`.execute(
      db,
    );
    const ids = rows.map((row) => row.client_id);
    if (ids.length === 0) return;
    const tags = await sql<{
      client_id: string;
      tag: string;
    }>`select client_id, tag from client_tags where client_id in (${sql.join(ids)}) order by tag_key`.execute(
      db,
    );
    const tagsOf = Map.groupBy(tags.rows, (row) => row.client_id);
    for (const { client_id: id, name, doing_business_as: tradeName, code } of rows) {
      const parts = [name, tradeName ?? '', code, ...(tagsOf.get(id) ?? []).map(({ tag }) => tag)];
      await sql`update clients set search_key = ${parts.map(folded).join('\n')} where client_id = ${id}`.execute(
        db,
      );
    }
    last = ids.at(-1) ?? '';
  }
}

/** As `fold` of the database, whose module imports this one. */
const folded = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC');
