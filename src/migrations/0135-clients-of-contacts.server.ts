import type { SchemaChange } from './schema-change.server.ts';

const ORDER = 'client_name_key, client_code_key, is_archived';
const ORDER_OF_CLIENT =
  'clients.name_key, clients.code_key, case when clients.archived_at is null then 0 else 1 end';

const columns = (text: string): string[] => [
  `alter table client_contacts add column client_name_key ${text} not null default ''`,
  `alter table client_contacts add column client_code_key ${text} not null default ''`,
  `alter table client_contacts add column is_archived smallint not null default 0`,
  `update client_contacts set (${ORDER}) = (select ${ORDER_OF_CLIENT} from clients where clients.client_id = client_contacts.client_id)`,
  `create index clients_of_contact_by_name on client_contacts (contact_id, is_archived, client_name_key, client_id)`,
  `create index clients_of_contact_by_code on client_contacts (contact_id, is_archived, client_code_key, client_id)`,
];

const ordered = `update client_contacts set (${ORDER}) = (select ${ORDER_OF_CLIENT} from clients where clients.client_id = new.client_id) where contact_id = new.contact_id and client_id = new.client_id;`;

/**
 * For contacts with many clients: the groups of the firm with pending tasks, in the order of their list and of the clients
 * with the earliest due dates, the complete ones, and the messages.
 */
const groupIndexes = [
  `create index pending_groups_of_firm on task_groups (company_id, coalesce(due_on, '9999-12-31'), label_key, group_id, client_id, type) where pending_count > 0`,
  `create index earliest_groups_of_firm on task_groups (company_id, coalesce(due_on, '9999-12-31'), client_id, type) where pending_count > 0`,
  `create index complete_groups_of_firm on task_groups (company_id, completed_on, label_key, group_id, client_id, type) where pending_count = 0 and task_count > 0`,
  `create index task_messages_of_firm on task_messages (company_id, created_at)`,
];

/**
 * The order of clients next to the links of their contacts, which triggers keep, as they do for tags and assignments
 * (0046): so a page of the clients of a contact is read from an index, however many they are.
 */
export const clientsOfContacts: SchemaChange = {
  sqlite: [
    ...columns('text'),
    ...groupIndexes,
    `create trigger client_contacts_ordered after insert on client_contacts begin ${ordered} end`,
    `create trigger client_contacts_moved after update of client_id on client_contacts begin ${ordered} end`,
    `create trigger client_contacts_reordered after update of name_key, code_key, archived_at on clients begin
    update client_contacts set client_name_key = new.name_key, client_code_key = new.code_key, is_archived = new.archived_at is not null where client_id = new.client_id; end`,
  ],
  postgres: [
    ...columns('text collate "C"'),
    ...groupIndexes,
    `create function keep_order_of_link() returns trigger language plpgsql as $body$ begin
    select ${ORDER_OF_CLIENT} into new.client_name_key, new.client_code_key, new.is_archived from clients where clients.client_id = new.client_id;
    return new; end $body$`,
    `create trigger client_contacts_ordered before insert or update of client_id on client_contacts for each row execute function keep_order_of_link()`,
    `create function pass_order_to_links() returns trigger language plpgsql as $body$ begin
    update client_contacts set client_name_key = new.name_key, client_code_key = new.code_key, is_archived = (new.archived_at is not null)::int where client_id = new.client_id;
    return null; end $body$`,
    `create trigger client_contacts_reordered after update of name_key, code_key, archived_at on clients for each row execute function pass_order_to_links()`,
  ],
};
