import type { SchemaChange } from './schema-change.server.ts';

/** The accounts of firms at a payment provider, and what the provider names a payment by when its money goes back. */
export const paymentAccounts: SchemaChange = {
  sqlite: [
    `create table payment_accounts (company_id text primary key references firms, secret text not null, hint text not null, changed_at bigint not null)`,
    `alter table payment_checkouts add column payment_id text`,
    `create index payment_checkouts_by_payment on payment_checkouts (provider, payment_id)`,
  ],
  postgres: [
    `create table payment_accounts (company_id text collate "C" primary key references firms, secret text collate "C" not null, hint text collate "C" not null, changed_at bigint not null)`,
    `alter table payment_checkouts add column payment_id text collate "C"`,
    `create index payment_checkouts_by_payment on payment_checkouts (provider, payment_id)`,
  ],
};
