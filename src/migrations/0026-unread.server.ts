import type { SchemaChange } from './schema-change.server.ts';

/**
 * Triggers maintain `unread`: uploads add to it, reads remove from it. So listing and counting unread
 * documents costs as much as there are of them. It is an index: a copy of the database builds its own.
 */
export const unread: SchemaChange = {
  sqlite: [
    `create table unread (document_id text not null, contact_id text not null, client_id text not null, created_at bigint not null, primary key (document_id, contact_id))`,
    `create index unread_of_contact on unread (contact_id, client_id, created_at, document_id)`,
    `create index contacts_of_client on client_contacts (client_id)`,
    `insert into unread select documents.document_id, client_contacts.contact_id, documents.client_id, documents.created_at
  from documents join client_contacts on client_contacts.client_id = documents.client_id
  where documents.deleted_at is null and not exists
    (select 1 from document_reads where document_reads.document_id = documents.document_id and document_reads.contact_id = client_contacts.contact_id) union all select documents.document_id, '' as contact_id, documents.client_id, documents.created_at
  from documents
  where documents.deleted_at is null and not exists (select 1 from document_reads where document_reads.document_id = documents.document_id)`,
    `create trigger "unread_documents_came" after insert on "documents" begin insert into unread select documents.document_id, client_contacts.contact_id, documents.client_id, documents.created_at
  from documents join client_contacts on client_contacts.client_id = documents.client_id
  where documents.deleted_at is null and not exists
    (select 1 from document_reads where document_reads.document_id = documents.document_id and document_reads.contact_id = client_contacts.contact_id) and documents.document_id = new.document_id on conflict do nothing; insert into unread select documents.document_id, '' as contact_id, documents.client_id, documents.created_at
  from documents
  where documents.deleted_at is null and not exists (select 1 from document_reads where document_reads.document_id = documents.document_id) and documents.document_id = new.document_id on conflict do nothing; end`,
    `create trigger "unread_documents_went" after delete on "documents" begin delete from unread where document_id = old.document_id; end`,
    `create trigger "unread_documents_changed" after update of "client_id", "created_at", "deleted_at" on "documents" begin delete from unread where document_id = old.document_id; insert into unread select documents.document_id, client_contacts.contact_id, documents.client_id, documents.created_at
  from documents join client_contacts on client_contacts.client_id = documents.client_id
  where documents.deleted_at is null and not exists
    (select 1 from document_reads where document_reads.document_id = documents.document_id and document_reads.contact_id = client_contacts.contact_id) and documents.document_id = new.document_id on conflict do nothing; insert into unread select documents.document_id, '' as contact_id, documents.client_id, documents.created_at
  from documents
  where documents.deleted_at is null and not exists (select 1 from document_reads where document_reads.document_id = documents.document_id) and documents.document_id = new.document_id on conflict do nothing; end`,
    `create trigger "unread_reads_came" after insert on "document_reads" begin delete from unread where document_id = new.document_id and contact_id in (new.contact_id, ''); end`,
    `create trigger "unread_reads_went" after delete on "document_reads" begin insert into unread select documents.document_id, client_contacts.contact_id, documents.client_id, documents.created_at
  from documents join client_contacts on client_contacts.client_id = documents.client_id
  where documents.deleted_at is null and not exists
    (select 1 from document_reads where document_reads.document_id = documents.document_id and document_reads.contact_id = client_contacts.contact_id) and documents.document_id = old.document_id and client_contacts.contact_id = old.contact_id on conflict do nothing; insert into unread select documents.document_id, '' as contact_id, documents.client_id, documents.created_at
  from documents
  where documents.deleted_at is null and not exists (select 1 from document_reads where document_reads.document_id = documents.document_id) and documents.document_id = old.document_id on conflict do nothing; end`,
    `create trigger "unread_reads_changed" after update of "document_id", "contact_id" on "document_reads" begin insert into unread select documents.document_id, client_contacts.contact_id, documents.client_id, documents.created_at
  from documents join client_contacts on client_contacts.client_id = documents.client_id
  where documents.deleted_at is null and not exists
    (select 1 from document_reads where document_reads.document_id = documents.document_id and document_reads.contact_id = client_contacts.contact_id) and documents.document_id = old.document_id and client_contacts.contact_id = old.contact_id on conflict do nothing; insert into unread select documents.document_id, '' as contact_id, documents.client_id, documents.created_at
  from documents
  where documents.deleted_at is null and not exists (select 1 from document_reads where document_reads.document_id = documents.document_id) and documents.document_id = old.document_id on conflict do nothing; delete from unread where document_id = new.document_id and contact_id in (new.contact_id, ''); end`,
    `create trigger "unread_links_came" after insert on "client_contacts" begin insert into unread select documents.document_id, client_contacts.contact_id, documents.client_id, documents.created_at
  from documents join client_contacts on client_contacts.client_id = documents.client_id
  where documents.deleted_at is null and not exists
    (select 1 from document_reads where document_reads.document_id = documents.document_id and document_reads.contact_id = client_contacts.contact_id) and documents.client_id = new.client_id and client_contacts.contact_id = new.contact_id on conflict do nothing; end`,
    `create trigger "unread_links_went" after delete on "client_contacts" begin delete from unread where contact_id = old.contact_id and client_id = old.client_id; end`,
    `create trigger "unread_links_changed" after update of "client_id", "contact_id" on "client_contacts" begin delete from unread where contact_id = old.contact_id and client_id = old.client_id; insert into unread select documents.document_id, client_contacts.contact_id, documents.client_id, documents.created_at
  from documents join client_contacts on client_contacts.client_id = documents.client_id
  where documents.deleted_at is null and not exists
    (select 1 from document_reads where document_reads.document_id = documents.document_id and document_reads.contact_id = client_contacts.contact_id) and documents.client_id = new.client_id and client_contacts.contact_id = new.contact_id on conflict do nothing; end`,
  ],
  postgres: [
    `create table unread (document_id text not null, contact_id text not null, client_id text not null, created_at bigint not null, primary key (document_id, contact_id))`,
    `create index unread_of_contact on unread (contact_id, client_id, created_at, document_id)`,
    `create index contacts_of_client on client_contacts (client_id)`,
    `insert into unread select documents.document_id, client_contacts.contact_id, documents.client_id, documents.created_at
  from documents join client_contacts on client_contacts.client_id = documents.client_id
  where documents.deleted_at is null and not exists
    (select 1 from document_reads where document_reads.document_id = documents.document_id and document_reads.contact_id = client_contacts.contact_id) union all select documents.document_id, '' as contact_id, documents.client_id, documents.created_at
  from documents
  where documents.deleted_at is null and not exists (select 1 from document_reads where document_reads.document_id = documents.document_id)`,
    `create function "keep_unread_documents"() returns trigger language plpgsql as $body$ begin
    if tg_op <> 'INSERT' then delete from unread where document_id = old.document_id; end if;
    if tg_op <> 'DELETE' then insert into unread select documents.document_id, client_contacts.contact_id, documents.client_id, documents.created_at
  from documents join client_contacts on client_contacts.client_id = documents.client_id
  where documents.deleted_at is null and not exists
    (select 1 from document_reads where document_reads.document_id = documents.document_id and document_reads.contact_id = client_contacts.contact_id) and documents.document_id = new.document_id on conflict do nothing; insert into unread select documents.document_id, '' as contact_id, documents.client_id, documents.created_at
  from documents
  where documents.deleted_at is null and not exists (select 1 from document_reads where document_reads.document_id = documents.document_id) and documents.document_id = new.document_id on conflict do nothing; end if;
    return null; end $body$`,
    `create trigger "unread_documents" after insert or delete or update of "client_id", "created_at", "deleted_at" on "documents" for each row execute function "keep_unread_documents"()`,
    `create function "keep_unread_reads"() returns trigger language plpgsql as $body$ begin
    if tg_op <> 'INSERT' then insert into unread select documents.document_id, client_contacts.contact_id, documents.client_id, documents.created_at
  from documents join client_contacts on client_contacts.client_id = documents.client_id
  where documents.deleted_at is null and not exists
    (select 1 from document_reads where document_reads.document_id = documents.document_id and document_reads.contact_id = client_contacts.contact_id) and documents.document_id = old.document_id and client_contacts.contact_id = old.contact_id on conflict do nothing; insert into unread select documents.document_id, '' as contact_id, documents.client_id, documents.created_at
  from documents
  where documents.deleted_at is null and not exists (select 1 from document_reads where document_reads.document_id = documents.document_id) and documents.document_id = old.document_id on conflict do nothing; end if;
    if tg_op <> 'DELETE' then delete from unread where document_id = new.document_id and contact_id in (new.contact_id, ''); end if;
    return null; end $body$`,
    `create trigger "unread_reads" after insert or delete or update of "document_id", "contact_id" on "document_reads" for each row execute function "keep_unread_reads"()`,
    `create function "keep_unread_links"() returns trigger language plpgsql as $body$ begin
    if tg_op <> 'INSERT' then delete from unread where contact_id = old.contact_id and client_id = old.client_id; end if;
    if tg_op <> 'DELETE' then insert into unread select documents.document_id, client_contacts.contact_id, documents.client_id, documents.created_at
  from documents join client_contacts on client_contacts.client_id = documents.client_id
  where documents.deleted_at is null and not exists
    (select 1 from document_reads where document_reads.document_id = documents.document_id and document_reads.contact_id = client_contacts.contact_id) and documents.client_id = new.client_id and client_contacts.contact_id = new.contact_id on conflict do nothing; end if;
    return null; end $body$`,
    `create trigger "unread_links" after insert or delete or update of "client_id", "contact_id" on "client_contacts" for each row execute function "keep_unread_links"()`,
  ],
};
