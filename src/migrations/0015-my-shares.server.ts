import type { SchemaChange } from './schema-change.server.ts';

export const myShares: SchemaChange = {
  sqlite: [
    `alter table shares add column max_downloads bigint`,
    `alter table share_recipients add column revoked_at bigint`,
    `alter table share_recipients add column last_opened_at bigint`,
    `alter table share_recipients add column downloads bigint not null default 0`,
    `update share_recipients set last_opened_at = first_opened_at`,
    `create table share_containers (share_id text not null references shares, container_id text not null references containers, primary key (share_id, container_id))`,
    `create table share_clients (share_id text not null references shares, client_id text not null references clients, primary key (client_id, share_id))`,
    `create index clients_of_share on share_clients (share_id)`,
    `create index shares_of_sender on shares (sender_contact_id, created_at)`,
    `insert into share_clients (share_id, client_id) select distinct share_items.share_id, documents.client_id from share_items join documents on documents.document_id = share_items.document_id`,
  ],
  postgres: [
    `alter table shares add column max_downloads bigint`,
    `alter table share_recipients add column revoked_at bigint`,
    `alter table share_recipients add column last_opened_at bigint`,
    `alter table share_recipients add column downloads bigint not null default 0`,
    `update share_recipients set last_opened_at = first_opened_at`,
    `create table share_containers (share_id text collate "C" not null references shares, container_id text collate "C" not null references containers, primary key (share_id, container_id))`,
    `create table share_clients (share_id text collate "C" not null references shares, client_id text collate "C" not null references clients, primary key (client_id, share_id))`,
    `create index clients_of_share on share_clients (share_id)`,
    `create index shares_of_sender on shares (sender_contact_id, created_at)`,
    `insert into share_clients (share_id, client_id) select distinct share_items.share_id, documents.client_id from share_items join documents on documents.document_id = share_items.document_id`,
  ],
};
