import type { SchemaChange } from './schema-change.server.ts';

const statements = (text: string): string[] => [
  `create table push_keys (name ${text} primary key, public_key ${text} not null, private_key ${text} not null, created_at bigint not null)`,
  `create table push_subscriptions (subscription_id ${text} primary key, company_id ${text} not null references firms, contact_id ${text} not null references contacts, session_id ${text} not null, endpoint ${text} not null, endpoint_hash ${text} not null, keys ${text} not null, device ${text} not null, language ${text} not null, shows_titles smallint not null, created_at bigint not null, seen_at bigint not null, sent_at bigint, failures smallint not null)`,
  `create unique index push_subscriptions_once on push_subscriptions (contact_id, endpoint_hash)`,
  `create index push_subscriptions_by_endpoint on push_subscriptions (endpoint_hash)`,
  `create index push_subscriptions_by_session on push_subscriptions (session_id)`,
  `create index push_subscriptions_by_firm on push_subscriptions (company_id)`,
  `create table push_opt_outs (contact_id ${text} not null references contacts, topic ${text} not null, primary key (contact_id, topic))`,
];

/** The devices to which people get push notifications, and what of it they do not want. */
export const pushSubscriptions: SchemaChange = {
  sqlite: statements('text'),
  postgres: statements('text collate "C"'),
};
