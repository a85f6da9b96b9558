import type { SchemaChange } from './schema-change.server.ts';

const tables = (text: string): string[] => [
  `create table notifications (notification_id ${text} primary key, company_id ${text} not null references firms, contact_id ${text} not null references contacts, client_id ${text} references clients, kind ${text} not null, group_key ${text} not null, count bigint not null, created_at bigint not null, changed_at bigint not null, read_at bigint, put_away_at bigint)`,
  `create unique index unread_notifications_by_group on notifications (contact_id, kind, group_key) where read_at is null`,
  `create index unread_notifications on notifications (contact_id, changed_at, notification_id) where read_at is null`,
  `create index listed_notifications on notifications (contact_id, changed_at, notification_id) where put_away_at is null`,
  `create index notifications_put_away on notifications (contact_id, put_away_at, notification_id) where put_away_at is not null`,
  `create index notifications_of_client on notifications (client_id)`,
  `create index notifications_by_age on notifications (changed_at)`,
  `create table notification_targets (notification_id ${text} not null references notifications on delete cascade, target ${text} not null, name ${text} not null, detail ${text} not null, is_open smallint not null, primary key (notification_id, target))`,
  `create index notifications_by_target on notification_targets (target)`,
  `create table notification_mails (notification_id ${text} not null references notifications on delete cascade, mail_id ${text} not null references mails on delete cascade, primary key (notification_id, mail_id))`,
  `create index notifications_by_mail on notification_mails (mail_id)`,
];

/** What people are told in the portal, and the emails that say the same. */
export const notifications: SchemaChange = { sqlite: tables('text'), postgres: tables('text collate "C"') };
