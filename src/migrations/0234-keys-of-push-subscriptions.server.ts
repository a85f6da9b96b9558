import type { SchemaChange } from './schema-change.server.ts';

const statements = (text: string): string[] => [
  `alter table push_subscriptions add column public_key ${text} not null default ''`,
  `update push_subscriptions set public_key = coalesce((select public_key from push_keys where name = 'vapid'), '')`,
  `create index push_subscriptions_by_key on push_subscriptions (public_key)`,
  `create table push_offers (contact_id ${text} primary key references contacts, declined_at bigint not null)`,
];

/** Which key of the portal each device knows, and who does not want to be offered push notifications. */
export const keysOfPushSubscriptions: SchemaChange = {
  sqlite: statements('text'),
  postgres: statements('text collate "C"'),
};
