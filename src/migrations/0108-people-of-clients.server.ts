import type { SchemaChange } from './schema-change.server.ts';

const LINKS = ['client_contacts', 'staff_clients'] as const;

/** Staff have many clients and are few: their names are looked up, so that a new name changes no row here. */
const NAME_KEY = `case when contacts.staff = 1 then '' else contacts.name_key end`;

/** The people who were not removed of clients of their firm, with a condition on each of the two. */
const peopleOf = ({ contact, client }: { contact: string; client: string }, key: string, clients: string) =>
  `insert into client_search_people select clients.${key}, contacts.contact_id, ${NAME_KEY} from contacts cross join ${clients} as clients
    where contacts.contact_id ${contact} and clients.client_id ${client} and contacts.company_id = clients.company_id and contacts.removed_at is null
    on conflict do nothing;`;

const allPeople = (key: string, clients: string): string[] =>
  LINKS.map(
    (links) =>
      `insert into client_search_people select clients.${key}, contacts.contact_id, ${NAME_KEY} from ${links} as links
    join contacts on contacts.contact_id = links.contact_id join ${clients} as clients on clients.client_id = links.client_id and clients.company_id = contacts.company_id
    where contacts.removed_at is null on conflict do nothing`,
  );

const isStillLinked = LINKS.map(
  (links) =>
    `exists (select 1 from ${links} as links where links.contact_id = old.contact_id and links.client_id = old.client_id)`,
).join(' or ');

const CLIENTS_OF_NEW = LINKS.map(
  (links) => `select client_id from ${links} where contact_id = new.contact_id`,
).join(' union ');

const NAME_KEY_OF = (row: 'old' | 'new'): string =>
  `case when ${row}.removed_at is not null then null when ${row}.staff = 1 then '' else ${row}.name_key end`;

/**
 * The people of each client with their folded names, next to the index of the clients' texts: people are found by a text of
 * their clients with one search (docs/decisions/0078). An index, which triggers keep: a copy of the database builds its own.
 * SQLite knows clients by their numbers in the index of texts. There, the index of names gets what the list of people needs
 * of each.
 */
export const peopleOfClients: SchemaChange = {
  sqlite: [
    `create table client_search_people (client_key integer not null, contact_id text not null, name_key text not null, primary key (client_key, contact_id)) without rowid`,
    ...allPeople('seq', 'client_search'),
    ...LINKS.flatMap((links) => {
      const came = peopleOf(
        { contact: '= new.contact_id', client: '= new.client_id' },
        'seq',
        'client_search',
      );
      const went = `delete from client_search_people where contact_id = old.contact_id and client_key = (select seq from client_search where client_search.client_id = old.client_id) and not (${isStillLinked});`;
      return [
        `create trigger client_search_people_${links}_came after insert on ${links} begin ${came} end`,
        `create trigger client_search_people_${links}_went after delete on ${links} begin ${went} end`,
        `create trigger client_search_people_${links}_changed after update of client_id, contact_id on ${links} begin ${went} ${came} end`,
      ];
    }),
    `create trigger client_search_people_changed after update of name_key, staff, removed_at on contacts when ${NAME_KEY_OF('new')} is not ${NAME_KEY_OF('old')} begin
    delete from client_search_people where contact_id = new.contact_id and client_key in (select seq from client_search where client_search.client_id in (${CLIENTS_OF_NEW}));
    ${peopleOf({ contact: '= new.contact_id', client: `in (${CLIENTS_OF_NEW})` }, 'seq', 'client_search')} end`,
    `alter table contact_search add column company_id text not null default ''`,
    `alter table contact_search add column staff smallint not null default 0`,
    `alter table contact_search add column removed_at bigint`,
    `update contact_search set (company_id, staff, removed_at) = (select company_id, staff, removed_at from contacts where contacts.contact_id = contact_search.contact_id)`,
    `drop trigger contact_search_came`,
    `create trigger contact_search_came after insert on contacts begin insert into contact_search (contact_id, name_key, company_id, staff, removed_at) values (new.contact_id, new.name_key, new.company_id, new.staff, new.removed_at) on conflict (contact_id) do update set (name_key, company_id, staff, removed_at) = (new.name_key, new.company_id, new.staff, new.removed_at); end`,
    `create trigger contact_search_rights after update of staff, removed_at on contacts begin update contact_search set (staff, removed_at) = (new.staff, new.removed_at) where contact_id = new.contact_id; end`,
  ],
  postgres: [
    `create table client_search_people (client_key text collate "C" not null, contact_id text collate "C" not null, name_key text collate "C" not null, primary key (client_key, contact_id) include (name_key))`,
    ...allPeople('client_id', 'clients'),
    `create function keep_people_of_client() returns trigger language plpgsql as $body$ begin
    if tg_op <> 'INSERT' then delete from client_search_people where contact_id = old.contact_id and client_key = old.client_id and not (${isStillLinked}); end if;
    if tg_op <> 'DELETE' then ${peopleOf({ contact: '= new.contact_id', client: '= new.client_id' }, 'client_id', 'clients')} end if;
    return null; end $body$`,
    ...LINKS.map(
      (links) =>
        `create trigger client_search_people_${links} after insert or delete or update of client_id, contact_id on ${links} for each row execute function keep_people_of_client()`,
    ),
    `create function pass_names_to_clients() returns trigger language plpgsql as $body$ begin
    delete from client_search_people where contact_id = new.contact_id and client_key in (${CLIENTS_OF_NEW});
    ${peopleOf({ contact: '= new.contact_id', client: `in (${CLIENTS_OF_NEW})` }, 'client_id', 'clients')}
    return null; end $body$`,
    `create trigger client_search_people_changed after update of name_key, staff, removed_at on contacts for each row when (${NAME_KEY_OF('new')} is distinct from ${NAME_KEY_OF('old')}) execute function pass_names_to_clients()`,
  ],
};
