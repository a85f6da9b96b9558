import type { SchemaChange } from './schema-change.server.ts';

/** `plainNumberSql` of src/features/clients/clients/duplicates.server.ts, as it was when this was written. */
const plainNumber = (row: string): string =>
  `ltrim(replace(replace(replace(replace(replace(replace(case when substr(${row}code_key, length(${row}code_key) - 1) = '.0' then substr(${row}code_key, 1, length(${row}code_key) - 2) else ${row}code_key end, '-', ''), '.', ''), '/', ''), ' ', ''), '_', ''), ',', ''), '0')`;

/** A name without what people write in one way or another: `Willow Dental, LLC` and `Willow Dental LLC` are one. */
const plainName = (row: string): string =>
  `replace(replace(replace(replace(replace(${row}name_key, '.', ''), ',', ''), '-', ''), '''', ''), ' ', '')`;

/** As many of the clients with one name, number or tax id are compared with each of them. */
const MAX_ALIKE = 20;

const ALIKE = `own.company_id, own.client_id as own_id, own.name_key as own_name, other.client_id as other_id, other.name_key as other_name`;
const BOTH_CURRENT = `other.client_id <> own.client_id and other.archived_at is null and own.archived_at is null`;
const same = (likeness: number, from: string): string =>
  `select * from (select ${ALIKE}, ${likeness} as likeness ${from} and ${BOTH_CURRENT} limit ${MAX_ALIKE}) as found_${likeness}`;

/** The clients that are like one of them, by tax id, number and name. */
const alikeOnSqlite = (clientId: string): string => `
      ${same(1, `from client_tax_ids as own_tax_ids join client_tax_ids as other_tax_ids on other_tax_ids.value_key = own_tax_ids.value_key join clients as own on own.client_id = own_tax_ids.client_id join clients as other on other.client_id = other_tax_ids.client_id and other.company_id = own.company_id where own_tax_ids.client_id = ${clientId} and own_tax_ids.value_key <> ''`)}
      union all
      ${same(2, `from clients as own join clients as other on other.company_id = own.company_id and ${plainNumber('other.')} = ${plainNumber('own.')} where own.client_id = ${clientId} and ${plainNumber('own.')} <> ''`)}
      union all
      ${
        // without the sign it would walk an index of the firm's clients instead of that of their names
        same(
          3,
          `from clients as own join clients as other on +other.company_id = own.company_id and ${plainName('other.')} = ${plainName('own.')} where own.client_id = ${clientId} and ${plainName('own.')} <> ''`,
        )
      }`;

/**
 * The same with the keys of the client as parameters: company, id, folded name, plain number, plain name and tax ids. A plan
 * that was kept from when there were few clients would go through all of them, for each that is stored.
 */
const alikeOnPostgres = (): string => {
  const of = (likeness: number, from: string, condition: string): string =>
    `select * from (select $1::text as company_id, $2::text as own_id, $3::text as own_name, other.client_id as other_id, other.name_key as other_name, ${likeness} as likeness from ${from} where ${condition} and other.company_id = $1 and other.client_id <> $2 and other.archived_at is null limit ${MAX_ALIKE}) as found_${likeness}`;
  return `
      ${of(1, `(select distinct client_id from client_tax_ids where value_key = any($6)) as alike cross join lateral (select * from clients where clients.client_id = alike.client_id offset 0) as other`, 'true')}
      union all
      ${of(2, 'clients as other', `$4 <> '' and ${plainNumber('other.')} = $4`)}
      union all
      ${of(3, 'clients as other', `$5 <> '' and ${plainName('other.')} = $5`)}`;
};

const [forgetFirst, forgetSecond] = [
  (clientId: string) => `delete from possible_duplicates where first_id = ${clientId}`,
  (clientId: string) => `delete from possible_duplicates where second_id = ${clientId}`,
];

const insertAlike = (alike: string, [least, greatest]: readonly [string, string]): string =>
  `insert into possible_duplicates (company_id, first_id, second_id, likeness, name_key, same_tax_id, same_number, same_name, is_dismissed)
    select company_id, ${least}(own_id, other_id), ${greatest}(own_id, other_id), min(likeness), ${least}(own_name, other_name),
      max(case likeness when 1 then 1 else 0 end), max(case likeness when 2 then 1 else 0 end), max(case likeness when 3 then 1 else 0 end),
      case when exists (select 1 from dismissed_duplicates as dismissed where dismissed.first_id = ${least}(own_id, other_id) and dismissed.second_id = ${greatest}(own_id, other_id)) then 1 else 0 end
    from (${alike}
    ) as alike
    group by company_id, own_id, own_name, other_id, other_name`;

/** Replaces the pairs of one client. */
const refreshOnSqlite = (clientId: string): string =>
  [forgetFirst(clientId), forgetSecond(clientId), insertAlike(alikeOnSqlite(clientId), ['min', 'max'])].join(
    '; ',
  );

const REFRESH_ON_POSTGRES = `create function refresh_possible_duplicates(refreshed text) returns void language plpgsql as $body$
    declare
      own clients;
    begin
      ${forgetFirst('refreshed')};
      ${forgetSecond('refreshed')};
      select * into own from clients where client_id = refreshed;
      if own.client_id is null or own.archived_at is not null then return; end if;
      execute $alike$${insertAlike(alikeOnPostgres(), ['least', 'greatest'])} on conflict do nothing$alike$
        using own.company_id, own.client_id, own.name_key, ${plainNumber('own.')}, ${plainName('own.')},
          array(select value_key from client_tax_ids where client_id = refreshed and value_key <> '');
    end $body$`;

const PAIRS = (text: string): string[] => [
  `create table dismissed_duplicates (company_id ${text} not null references firms, first_id ${text} not null references clients on delete cascade, second_id ${text} not null references clients on delete cascade, dismissed_by ${text} not null references contacts, dismissed_at bigint not null, primary key (first_id, second_id))`,
  `create index dismissed_duplicates_by_second on dismissed_duplicates (second_id)`,
  `create table possible_duplicates (company_id ${text} not null, first_id ${text} not null, second_id ${text} not null, likeness smallint not null, name_key ${text} not null, same_tax_id smallint not null, same_number smallint not null, same_name smallint not null, is_dismissed smallint not null, primary key (first_id, second_id))`,
  `create index possible_duplicates_by_second on possible_duplicates (second_id)`,
  `create index listed_duplicates on possible_duplicates (company_id, likeness, name_key, first_id, second_id) where is_dismissed = 0`,
  `create index clients_by_plain_name on clients ((${plainName('')}), company_id) where archived_at is null`,
];

/**
 * Pairs of current clients that may be the same, and the pairs that somebody said are not. The former are an index, which
 * triggers keep: a copy of the database builds its own (docs/decisions/0087).
 */
export const possibleDuplicates: SchemaChange = {
  sqlite: [
    ...PAIRS('text'),
    // what is inserted into this view is compared anew
    `create view possible_duplicates_of as select client_id from clients`,
    `create trigger possible_duplicates_refreshed instead of insert on possible_duplicates_of begin ${refreshOnSqlite('new.client_id')}; end`,
    `insert into possible_duplicates_of select client_id from clients`,
    ...['insert', 'update of name_key, code_key, archived_at'].map(
      (act, number) =>
        `create trigger possible_duplicates_client_${number} after ${act} on clients begin insert into possible_duplicates_of values (new.client_id); end`,
    ),
    `create trigger possible_duplicates_client_went after delete on clients begin insert into possible_duplicates_of values (old.client_id); end`,
    ...['insert', 'update of value_key'].map(
      (act, number) =>
        `create trigger possible_duplicates_tax_id_${number} after ${act} on client_tax_ids begin insert into possible_duplicates_of values (new.client_id); end`,
    ),
    `create trigger possible_duplicates_tax_id_went after delete on client_tax_ids begin insert into possible_duplicates_of values (old.client_id); end`,
    `create trigger possible_duplicates_dismissed after insert on dismissed_duplicates begin update possible_duplicates set is_dismissed = 1 where first_id = new.first_id and second_id = new.second_id; end`,
  ],
  postgres: [
    ...PAIRS('text collate "C"'),
    REFRESH_ON_POSTGRES,
    `select refresh_possible_duplicates(client_id) from clients`,
    `create function keep_possible_duplicates() returns trigger language plpgsql as $body$ begin
    perform refresh_possible_duplicates(case when tg_op = 'DELETE' then old.client_id else new.client_id end); return null; end $body$`,
    `create trigger possible_duplicates_client after insert or delete or update of name_key, code_key, archived_at on clients for each row execute function keep_possible_duplicates()`,
    `create trigger possible_duplicates_tax_id after insert or delete or update of value_key on client_tax_ids for each row execute function keep_possible_duplicates()`,
    `create function dismiss_duplicates() returns trigger language plpgsql as $body$ begin
    update possible_duplicates set is_dismissed = 1 where first_id = new.first_id and second_id = new.second_id; return null; end $body$`,
    `create trigger possible_duplicates_dismissed after insert on dismissed_duplicates for each row execute function dismiss_duplicates()`,
  ],
};
