import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  employees: {
    key: ['employee_id'],
    encrypted: { cpf: 'always', details: 'always' },
    ofClient: { exported: 'employees.csv', merged: 'united', kept: 'with client' },
  },
  vacation_periods: {
    key: ['employee_id', 'starts_on'],
    ofClient: { exported: 'vacation-periods.csv' },
  },
  employee_leaves: {
    key: ['employee_id', 'starts_on'],
    encrypted: { reason: 'always' },
    ofClient: { exported: 'leaves.csv' },
  },
  employee_changes: {
    key: ['change_id'],
    encrypted: { before: 'always', after: 'always' },
    ofClient: { exported: { not: 'What was changed is in the audit log, and what it is now in the files.' } },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    employees: Employees;
    vacation_periods: VacationPeriods;
    employee_leaves: EmployeeLeaves;
    employee_changes: EmployeeChanges;
  }
}

export type Source = 'staff' | 'api' | 'import' | 'request';

/** A contract of a person with a client. */
interface Employees {
  employee_id: string;
  company_id: string;
  client_id: string;
  name: string;
  name_key: string;
  cpf: Encrypted;
  /** A blind index: the CPF is found as a whole. */
  cpf_key: string;
  registration: string;
  registration_key: string;
  category: string;
  /** Made of the category. */
  kind: 'employee' | 'apprentice' | 'intern' | 'partner';
  hired_on: string;
  position: string;
  establishment_id: string | null;
  /** The last day of the contract; empty while it lasts. */
  ended_on: string;
  /** JSON: what only the page of the employee shows, such as salary and day of birth. */
  details: Encrypted;
  version: number;
  created_at: Millis;
  modified_at: Millis;
  deleted_at: Millis | null;
}

interface VacationPeriods {
  employee_id: string;
  starts_on: string;
  absences: number;
  taken_days: number;
  sold_days: number;
}

interface EmployeeLeaves {
  employee_id: string;
  starts_on: string;
  /** Empty while it is open. */
  ends_on: string;
  reason: Encrypted;
}

/** What was changed, so that it can be undone. */
interface EmployeeChanges {
  change_id: string;
  employee_id: string;
  /** The version of the employee after it. */
  version: number;
  source: Source;
  /** The service request whose reply made it. */
  request_id: string | null;
  changed_at: Millis;
  changed_by: string;
  /** JSON: all fields before it; null for a new employee. */
  before: Encrypted<string | null>;
  /** JSON: all fields after it; null for one that was removed. */
  after: Encrypted<string | null>;
}
