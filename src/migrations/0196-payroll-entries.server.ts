import type { SchemaChange } from './schema-change.server.ts';

/** Payroll entries: lists of columns, and the sheets of clients with what was typed, sent and typed too late. */
export const payrollEntries: SchemaChange = {
  sqlite: [
    `create table payroll_lists (list_id text primary key, company_id text not null references firms, name text not null, payroll text not null, from_competence text not null, to_competence text not null, tag_key text not null, tag text not null, due_day bigint not null, columns text not null, version bigint not null, state text not null, created_at bigint not null, created_by text not null, modified_at bigint not null)`,
    `create index payroll_lists_of_firm on payroll_lists (company_id, list_id)`,
    `create table payroll_list_versions (list_id text not null references payroll_lists, version bigint not null, columns text not null, published_at bigint not null, published_by text not null, primary key (list_id, version))`,
    `create table payroll_sheets (sheet_id text primary key, company_id text not null references firms, client_id text not null references clients, list_id text not null references payroll_lists, list_version bigint not null, competence text not null, status text not null, due_on text not null, next_notice_on text not null, rows_filled bigint not null, cells_filled bigint not null, submission bigint not null, submitted_at bigint, returned text, undo text, closed_at bigint, closed_by text, version bigint not null, changed_at bigint not null)`,
    `create unique index payroll_sheets_once on payroll_sheets (client_id, list_id, competence)`,
    `create index payroll_sheets_of_firm on payroll_sheets (company_id, competence, sheet_id)`,
    `create index payroll_sheets_by_due on payroll_sheets (company_id, due_on, sheet_id)`,
    `create index payroll_sheets_of_list on payroll_sheets (list_id, competence, sheet_id)`,
    `create index payroll_sheets_by_notice on payroll_sheets (next_notice_on, sheet_id)`,
    `create table payroll_rows (sheet_id text not null references payroll_sheets, employee_id text not null references employees, cells text not null, version bigint not null, primary key (sheet_id, employee_id))`,
    `create index payroll_rows_of_employee on payroll_rows (employee_id, sheet_id)`,
    `create table payroll_late_entries (late_id text primary key, sheet_id text not null references payroll_sheets, typed_at bigint not null, typed_by text not null, cells text not null)`,
    `create index payroll_late_entries_of_sheet on payroll_late_entries (sheet_id, typed_at, late_id)`,
    `create table payroll_submissions (submission_id text primary key, sheet_id text not null references payroll_sheets, number bigint not null, submitted_at bigint not null, submitted_by text not null, content text not null, content_sha256 text not null, receipt bigint)`,
    `create index payroll_submissions_of_sheet on payroll_submissions (sheet_id, number, submission_id)`,
  ],
  postgres: [
    `create table payroll_lists (list_id text collate "C" primary key, company_id text collate "C" not null references firms, name text collate "C" not null, payroll text collate "C" not null, from_competence text collate "C" not null, to_competence text collate "C" not null, tag_key text collate "C" not null, tag text collate "C" not null, due_day bigint not null, columns text collate "C" not null, version bigint not null, state text collate "C" not null, created_at bigint not null, created_by text collate "C" not null, modified_at bigint not null)`,
    `create index payroll_lists_of_firm on payroll_lists (company_id, list_id)`,
    `create table payroll_list_versions (list_id text collate "C" not null references payroll_lists, version bigint not null, columns text collate "C" not null, published_at bigint not null, published_by text collate "C" not null, primary key (list_id, version))`,
    `create table payroll_sheets (sheet_id text collate "C" primary key, company_id text collate "C" not null references firms, client_id text collate "C" not null references clients, list_id text collate "C" not null references payroll_lists, list_version bigint not null, competence text collate "C" not null, status text collate "C" not null, due_on text collate "C" not null, next_notice_on text collate "C" not null, rows_filled bigint not null, cells_filled bigint not null, submission bigint not null, submitted_at bigint, returned text collate "C", undo text collate "C", closed_at bigint, closed_by text collate "C", version bigint not null, changed_at bigint not null)`,
    `create unique index payroll_sheets_once on payroll_sheets (client_id, list_id, competence)`,
    `create index payroll_sheets_of_firm on payroll_sheets (company_id, competence, sheet_id)`,
    `create index payroll_sheets_by_due on payroll_sheets (company_id, due_on, sheet_id)`,
    `create index payroll_sheets_of_list on payroll_sheets (list_id, competence, sheet_id)`,
    `create index payroll_sheets_by_notice on payroll_sheets (next_notice_on, sheet_id)`,
    `create table payroll_rows (sheet_id text collate "C" not null references payroll_sheets, employee_id text collate "C" not null references employees, cells text collate "C" not null, version bigint not null, primary key (sheet_id, employee_id))`,
    `create index payroll_rows_of_employee on payroll_rows (employee_id, sheet_id)`,
    `create table payroll_late_entries (late_id text collate "C" primary key, sheet_id text collate "C" not null references payroll_sheets, typed_at bigint not null, typed_by text collate "C" not null, cells text collate "C" not null)`,
    `create index payroll_late_entries_of_sheet on payroll_late_entries (sheet_id, typed_at, late_id)`,
    `create table payroll_submissions (submission_id text collate "C" primary key, sheet_id text collate "C" not null references payroll_sheets, number bigint not null, submitted_at bigint not null, submitted_by text collate "C" not null, content text collate "C" not null, content_sha256 text collate "C" not null, receipt bigint)`,
    `create index payroll_submissions_of_sheet on payroll_submissions (sheet_id, number, submission_id)`,
  ],
};
