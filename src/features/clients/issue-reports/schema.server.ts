import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { About, IssueState } from './issue-reports.ts';

export const tables = {
  issue_reports: {
    key: ['code'],
    encrypted: { description: 'always', details: 'always', answer: 'some rows' },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    issue_reports: IssueReports;
  }
}

/** Problems that people reported. */
interface IssueReports {
  /** The reference code. */
  code: string;
  company_id: string;
  contact_id: string;
  /** The member of staff who viewed as the contact, if any. */
  viewed_by: string | null;
  about: About;
  /** Words in the address of the page. */
  source: string;
  release: string;
  description: Encrypted;
  /** Lines as JSON. */
  details: Encrypted;
  state: IssueState;
  answer: Encrypted<string | null>;
  answered_by: string | null;
  answered_at: Millis | null;
  created_at: Millis;
  /** When it was answered or closed the last time: it is kept for a while after that. */
  settled_at: Millis | null;
}
