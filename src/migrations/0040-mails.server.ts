import type { SchemaChange } from './schema-change.server.ts';

/** A row for each mail with its state, and what it is about until that is done. */
export const mails: SchemaChange = {
  sqlite: [
    `create table mails (mail_id text primary key, mail_key text not null unique, company_id text, contact_id text, client_id text, kind text not null, recipient text not null, recipient_key text not null,
  subject text not null, content text, language text not null, state text not null, reason text, queued_at bigint not null, accepted_at bigint, bounced_at bigint, opened_at bigint, done_at bigint)`,
    `create index mails_of_firm on mails (company_id, queued_at, mail_id)`,
    `create index mails_of_client on mails (client_id, queued_at, mail_id)`,
    `create index mails_of_recipient on mails (recipient_key, queued_at)`,
    `create index mails_by_state on mails (company_id, state, queued_at)`,
    `create index mails_by_age on mails (queued_at)`,
    `create table mail_targets (mail_id text not null references mails on delete cascade, target text not null, primary key (mail_id, target))`,
    `create index mail_targets_of on mail_targets (target)`,
  ],
  postgres: [
    `create table mails (mail_id text collate "C" primary key, mail_key text collate "C" not null unique, company_id text collate "C", contact_id text collate "C", client_id text collate "C", kind text collate "C" not null,
  recipient text collate "C" not null, recipient_key text collate "C" not null, subject text collate "C" not null, content text collate "C", language text collate "C" not null, state text collate "C" not null, reason text collate "C",
  queued_at bigint not null, accepted_at bigint, bounced_at bigint, opened_at bigint, done_at bigint)`,
    `create index mails_of_firm on mails (company_id, queued_at, mail_id)`,
    `create index mails_of_client on mails (client_id, queued_at, mail_id)`,
    `create index mails_of_recipient on mails (recipient_key, queued_at)`,
    `create index mails_by_state on mails (company_id, state, queued_at)`,
    `create index mails_by_age on mails (queued_at)`,
    `create table mail_targets (mail_id text collate "C" not null references mails on delete cascade, target text collate "C" not null, primary key (mail_id, target))`,
    `create index mail_targets_of on mail_targets (target)`,
  ],
};
