import type { SchemaChange } from './schema-change.server.ts';

/** What people want no emails about, and the hours during which they want none. */
export const notificationSettings: SchemaChange = {
  sqlite: [
    `create table notification_opt_outs (contact_id text not null, kind text not null, created_at bigint not null, primary key (contact_id, kind))`,
    `create table quiet_hours (contact_id text primary key, from_hour smallint not null, until_hour smallint not null, time_zone text not null)`,
    `alter table mails add column held_until bigint`,
    `create index mails_held on mails (contact_id, kind, held_until) where held_until is not null`,
  ],
  postgres: [
    `create table notification_opt_outs (contact_id text collate "C" not null, kind text collate "C" not null, created_at bigint not null, primary key (contact_id, kind))`,
    `create table quiet_hours (contact_id text collate "C" primary key, from_hour smallint not null, until_hour smallint not null, time_zone text collate "C" not null)`,
    `alter table mails add column held_until bigint`,
    `create index mails_held on mails (contact_id, kind, held_until) where held_until is not null`,
  ],
};
