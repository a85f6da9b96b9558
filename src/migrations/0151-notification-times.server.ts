import type { SchemaChange } from './schema-change.server.ts';

const tables = (text: string): string[] => [
  `create table daily_mail_kinds (contact_id ${text} not null references contacts, kind ${text} not null, created_at bigint not null, primary key (contact_id, kind))`,
  `create table mail_times (contact_id ${text} primary key references contacts, daily_hour smallint not null, time_zone ${text} not null, paused_until ${text})`,
];

/** Which emails a person gets once a day and at what hour, and until which day they get none. */
export const notificationTimes: SchemaChange = {
  sqlite: tables('text'),
  postgres: tables('text collate "C"'),
};
