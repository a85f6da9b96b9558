import type { SchemaChange } from './schema-change.server.ts';

const tables = (text: string): string[] => [
  `create table employees (employee_id ${text} primary key, company_id ${text} not null references firms, client_id ${text} not null references clients, name ${text} not null, name_key ${text} not null, cpf ${text} not null, cpf_key ${text} not null, registration ${text} not null, registration_key ${text} not null, category ${text} not null, kind ${text} not null, hired_on ${text} not null, position ${text} not null, establishment_id ${text} references establishments, ended_on ${text} not null, details ${text} not null, version bigint not null, created_at bigint not null, modified_at bigint not null, deleted_at bigint)`,
  `create unique index employees_of_client on employees (client_id, cpf_key, registration_key) where deleted_at is null`,
  `create index employees_by_name on employees (client_id, name_key, employee_id) where deleted_at is null`,
  `create index employees_by_registration on employees (client_id, registration_key) where deleted_at is null`,
  `create index employees_of_establishment on employees (establishment_id)`,
  `create table vacation_periods (employee_id ${text} not null references employees, starts_on ${text} not null, absences bigint not null, taken_days bigint not null, sold_days bigint not null, primary key (employee_id, starts_on))`,
  `create table employee_leaves (employee_id ${text} not null references employees, starts_on ${text} not null, ends_on ${text} not null, reason ${text} not null, primary key (employee_id, starts_on))`,
  `create table employee_changes (change_id ${text} primary key, employee_id ${text} not null references employees, version bigint not null, source ${text} not null, request_id ${text}, changed_at bigint not null, changed_by ${text} not null references contacts, before ${text}, after ${text})`,
  `create index changes_of_employee on employee_changes (employee_id, version)`,
];

/** The employees of clients in Brazil, their years of vacation, their leaves, and what was changed. */
export const employees: SchemaChange = { sqlite: tables('text'), postgres: tables('text collate "C"') };
