import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { ListState, Payroll, Status } from './payroll-entries.ts';

export const tables = {
  payroll_lists: { key: ['list_id'] },
  payroll_list_versions: { key: ['list_id', 'version'] },
  payroll_sheets: {
    key: ['sheet_id'],
    encrypted: { returned: 'always', undo: 'always', reply: 'always' },
    ofClient: { exported: 'payroll-sheets.csv', merged: 'united', kept: 'with client' },
  },
  payroll_rows: {
    key: ['sheet_id', 'employee_id'],
    encrypted: { cells: 'always' },
    ofClient: { exported: 'payroll-entries.csv' },
  },
  payroll_late_entries: {
    key: ['late_id'],
    encrypted: { cells: 'always' },
    ofClient: { exported: 'payroll-late-entries.csv' },
  },
  payroll_submissions: {
    key: ['submission_id'],
    encrypted: { content: 'always' },
    ofClient: {
      exported: { not: 'What was sent is in the files of sheets and entries, and in the receipts.' },
    },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    payroll_lists: PayrollLists;
    payroll_list_versions: PayrollListVersions;
    payroll_sheets: PayrollSheets;
    payroll_rows: PayrollRows;
    payroll_late_entries: PayrollLateEntries;
    payroll_submissions: PayrollSubmissions;
  }
}

/** A list of columns that a firm asks of its clients each month. */
interface PayrollLists {
  list_id: string;
  company_id: string;
  name: string;
  payroll: Payroll;
  /** The first month, `2026-11`. */
  from_competence: string;
  /** The last month; empty for no end. */
  to_competence: string;
  /** The folded tag of its clients; empty for all. */
  tag_key: string;
  tag: string;
  due_day: number;
  /** JSON: the columns as they are edited. */
  columns: string;
  /** Of what was published last; 0 before. */
  version: number;
  state: ListState;
  created_at: Millis;
  created_by: string;
  modified_at: Millis;
}

/** The columns of a list as they were published: they never change. */
interface PayrollListVersions {
  list_id: string;
  version: number;
  /** JSON. */
  columns: string;
  published_at: Millis;
  published_by: string;
}

/** What a client fills in for a list and a month. */
interface PayrollSheets {
  sheet_id: string;
  company_id: string;
  client_id: string;
  list_id: string;
  list_version: number;
  competence: string;
  status: Status;
  due_on: string;
  /** The day of the next reminder; empty for none. */
  next_notice_on: string;
  rows_filled: number;
  cells_filled: number;
  /** How many times it was sent. */
  submission: number;
  submitted_at: Millis | null;
  /** JSON: why it was returned, and the cells that are open; null if it was not. */
  returned: Encrypted<string | null>;
  /** JSON: the cells before the last paste, import or copy; null where there is nothing to undo. */
  undo: Encrypted<string | null>;
  /** What the firm has answered; null where it has not. */
  reply: Encrypted<string | null>;
  closed_at: Millis | null;
  closed_by: string | null;
  version: number;
  changed_at: Millis;
}

/** The entries of an employee on a sheet. */
interface PayrollRows {
  sheet_id: string;
  employee_id: string;
  /** JSON: by column the value, its version, and who typed it when. */
  cells: Encrypted;
  version: number;
}

/** What somebody typed into a sheet after it was closed: it counts for nothing, and can be downloaded. */
interface PayrollLateEntries {
  late_id: string;
  sheet_id: string;
  typed_at: Millis;
  typed_by: string;
  /** JSON: the changes. */
  cells: Encrypted;
}

/** What was sent. */
interface PayrollSubmissions {
  submission_id: string;
  sheet_id: string;
  number: number;
  submitted_at: Millis;
  submitted_by: string;
  /** JSON. */
  content: Encrypted;
  content_sha256: string;
  receipt: number | null;
}
