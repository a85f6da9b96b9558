import type { SchemaChange } from './schema-change.server.ts';

/** Tax dates of clients: what they depend on, what the firm decided, the dates themselves, and who is reminded of them. */
export const taxCalendar: SchemaChange = {
  sqlite: [
    `create table tax_profiles (client_id text primary key references clients, company_id text not null references firms, country text not null, facts text not null, choices text not null, version bigint not null, planned_until text not null, planned_at bigint not null, rules_version bigint not null, modified_by text not null, modified_at bigint not null)`,
    `create index tax_profiles_to_plan on tax_profiles (rules_version, planned_until)`,
    `create index tax_profiles_of_firm on tax_profiles (company_id, client_id)`,
    `create table tax_rule_choices (company_id text not null references firms, rule_key text not null, is_muted smallint not null, confirmed_until bigint not null, changed_by text not null, changed_at bigint not null, primary key (company_id, rule_key))`,
    `create table tax_own_dates (own_date_id text primary key, company_id text not null references firms, client_id text references clients, name text not null, kind text not null, starts_on text not null, repeats text not null, roll text not null, created_by text not null, created_at bigint not null, removed_at bigint)`,
    `create index tax_own_dates_of_firm on tax_own_dates (company_id, client_id)`,
    `create index tax_own_dates_of_client on tax_own_dates (client_id)`,
    `create table tax_dates (tax_date_id text primary key, company_id text not null references firms, client_id text not null references clients, rule_key text not null, period text not null, kind text not null, planned_on text not null, due_on text not null, reason text, mark text not null, marked_by text not null, marked_at bigint, version bigint not null, changed_at bigint not null)`,
    `create unique index tax_dates_once on tax_dates (client_id, rule_key, period)`,
    `create index tax_dates_of_client on tax_dates (client_id, due_on, tax_date_id)`,
    `create index tax_dates_of_firm on tax_dates (company_id, due_on, tax_date_id)`,
    `create table tax_reminders (contact_id text primary key references contacts, company_id text not null references firms, days_before bigint not null, checked_on text not null, changed_at bigint not null)`,
    `create index tax_reminders_of_firm on tax_reminders (company_id, checked_on)`,
    `create table tax_reminded (contact_id text not null references contacts, tax_date_id text not null references tax_dates on delete cascade, reminded_at bigint not null, primary key (contact_id, tax_date_id))`,
    `create index tax_reminded_of_date on tax_reminded (tax_date_id)`,
  ],
  postgres: [
    `create table tax_profiles (client_id text collate "C" primary key references clients, company_id text collate "C" not null references firms, country text collate "C" not null, facts text collate "C" not null, choices text collate "C" not null, version bigint not null, planned_until text collate "C" not null, planned_at bigint not null, rules_version bigint not null, modified_by text collate "C" not null, modified_at bigint not null)`,
    `create index tax_profiles_to_plan on tax_profiles (rules_version, planned_until)`,
    `create index tax_profiles_of_firm on tax_profiles (company_id, client_id)`,
    `create table tax_rule_choices (company_id text collate "C" not null references firms, rule_key text collate "C" not null, is_muted smallint not null, confirmed_until bigint not null, changed_by text collate "C" not null, changed_at bigint not null, primary key (company_id, rule_key))`,
    `create table tax_own_dates (own_date_id text collate "C" primary key, company_id text collate "C" not null references firms, client_id text collate "C" references clients, name text collate "C" not null, kind text collate "C" not null, starts_on text collate "C" not null, repeats text collate "C" not null, roll text collate "C" not null, created_by text collate "C" not null, created_at bigint not null, removed_at bigint)`,
    `create index tax_own_dates_of_firm on tax_own_dates (company_id, client_id)`,
    `create index tax_own_dates_of_client on tax_own_dates (client_id)`,
    `create table tax_dates (tax_date_id text collate "C" primary key, company_id text collate "C" not null references firms, client_id text collate "C" not null references clients, rule_key text collate "C" not null, period text collate "C" not null, kind text collate "C" not null, planned_on text collate "C" not null, due_on text collate "C" not null, reason text collate "C", mark text collate "C" not null, marked_by text collate "C" not null, marked_at bigint, version bigint not null, changed_at bigint not null)`,
    `create unique index tax_dates_once on tax_dates (client_id, rule_key, period)`,
    `create index tax_dates_of_client on tax_dates (client_id, due_on, tax_date_id)`,
    `create index tax_dates_of_firm on tax_dates (company_id, due_on, tax_date_id)`,
    `create table tax_reminders (contact_id text collate "C" primary key references contacts, company_id text collate "C" not null references firms, days_before bigint not null, checked_on text collate "C" not null, changed_at bigint not null)`,
    `create index tax_reminders_of_firm on tax_reminders (company_id, checked_on)`,
    `create table tax_reminded (contact_id text collate "C" not null references contacts, tax_date_id text collate "C" not null references tax_dates on delete cascade, reminded_at bigint not null, primary key (contact_id, tax_date_id))`,
    `create index tax_reminded_of_date on tax_reminded (tax_date_id)`,
  ],
};
