import type { SchemaChange } from './schema-change.server.ts';

/**
 * The audit log, which the database itself keeps insert-only: bypassing the application leaves a trace.
 * SQLite runs no trigger for the row that an `insert or replace` removes.
 */
export const audit: SchemaChange = {
  sqlite: [
    `create table audit_heads (company_id text primary key references firms, seq bigint not null, hash text not null)`,
    `create table audit (company_id text not null references firms, seq bigint not null, at bigint not null, actor text not null, action text not null, target text not null,
  details text not null, hash text not null, primary key (company_id, seq))`,
    `create index audit_by_actor on audit (company_id, actor, seq)
`,
    `create trigger audit_is_not_changed before update on "audit" begin select raise(abort, 'the audit trail is insert-only'); end`,
    `create trigger audit_is_not_removed before delete on "audit" begin select raise(abort, 'the audit trail is insert-only'); end`,
    `create trigger audit_is_not_replaced before insert on "audit" when exists (select 1 from "audit" where company_id = new.company_id and seq = new.seq)
      begin select raise(abort, 'the audit trail is insert-only'); end`,
  ],
  postgres: [
    `create table audit_heads (company_id text collate "C" primary key references firms, seq bigint not null, hash text collate "C" not null)`,
    `create table audit (company_id text collate "C" not null references firms, seq bigint not null, at bigint not null, actor text collate "C" not null, action text collate "C" not null, target text collate "C" not null,
  details text collate "C" not null, hash text collate "C" not null, primary key (company_id, seq))`,
    `create index audit_by_actor on audit (company_id, actor, seq)`,
    `create function refuse_change() returns trigger language plpgsql as 'begin raise exception ''the audit trail is insert-only''; end'`,
    `create trigger audit_is_insert_only before update or delete or truncate on "audit" for each statement execute function refuse_change()`,
  ],
};
