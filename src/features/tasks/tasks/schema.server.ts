import type { Generated } from 'kysely';
import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { AcceptedBy } from './rules.ts';
import type { TaskStatus, TaskType } from './tasks.ts';

export const tables = {
  task_forms: { key: ['form_id'] },
  task_groups: {
    key: ['group_id'],
    ofClient: { exported: 'tasks.csv', merged: 'follows', kept: 'with client' },
  },
  tasks: {
    key: ['task_id'],
    encrypted: { data: 'always', firm_data: 'some rows', triggers: 'some rows' },
    ofClient: { exported: 'tasks.csv', merged: 'follows', kept: 'with client' },
  },
  task_steps: {
    key: ['step_id'],
    encrypted: { data: 'always', firm_data: 'some rows' },
    ofClient: { exported: 'task-steps.csv' },
  },
  task_answers: {
    key: ['answer_id'],
    encrypted: { value: 'always' },
    ofClient: { exported: { not: 'What was submitted is exported; the rest is for the client alone.' } },
  },
  task_kept_answers: {
    key: ['kept_id'],
    encrypted: { value: 'always' },
    ofClient: { exported: { not: 'It is for the client alone until one of the two is chosen.' } },
  },
  task_submissions: {
    key: ['submission_id'],
    encrypted: { content: 'always', reason: 'some rows' },
    ofClient: { exported: 'submissions.csv' },
  },
  task_decisions: {
    key: ['decision_id'],
    encrypted: { reason: 'some rows' },
    ofClient: { exported: 'decisions.csv' },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    task_forms: TaskForms;
    task_groups: TaskGroups;
    tasks: Tasks;
    task_steps: TaskSteps;
    task_answers: TaskAnswers;
    task_kept_answers: TaskKeptAnswers;
    task_submissions: TaskSubmissions;
    task_decisions: TaskDecisions;
  }
}

/** What tasks ask: a questionnaire as JSON. It never changes; tasks with the same one share it. */
interface TaskForms {
  form_id: string;
  company_id: string;
  sha256: string;
  body: string;
  created_at: Millis;
}

/** Tasks of a client that belong together. Dates are `2026-02-28`. */
interface TaskGroups {
  group_id: string;
  company_id: string;
  client_id: string;
  type: TaskType;
  tax_year: number | null;
  /** Empty: made from the type and the year. */
  label: string;
  label_key: string;
  due_on: string | null;
  expires_on: string | null;
  tags: string;
  created_at: Millis;
  created_by: string;
  /** The next three are maintained by internal/group-state.server.ts, for paging by state. */
  status: TaskStatus;
  completed_on: string | null;
  pending_count: number;
  task_count: number;
}

interface Tasks {
  task_id: string;
  company_id: string;
  group_id: string;
  client_id: string;
  type: TaskType;
  kind: string;
  tax_year: number | null;
  label: string;
  label_key: string;
  position: number;
  status: TaskStatus;
  due_on: string | null;
  expires_on: string | null;
  version: number;
  /** What it asks; null for a task without questions. */
  form_id: string | null;
  parent_task_id: string | null;
  accepted_by: AcceptedBy;
  is_mandatory: Bit;
  send_notification: Bit;
  tags: string;
  /** The free object of the spec, as JSON. */
  data: Encrypted;
  /** What of it the firm itself has stored, which it reads before the client submits; null in tasks made before 2026-11-28. */
  firm_data: Encrypted<string | null>;
  /** What a submission creates and reopens, as JSON; null for nothing. */
  triggers: Encrypted<string | null>;
  created_at: Millis;
  created_by: string;
  changed_at: Millis;
  /** When the client was asked for it last: created, returned, reopened or given another due date. */
  asked_at: Generated<Millis>;
  submitted_at: Millis | null;
  /** The number of the newest submission; 0 before the first. */
  submission: number;
  deleted_at: Millis | null;
  deleted_by: string | null;
  /** The member of staff who looks after it. */
  responsible: string | null;
  /** The template that it was created from, its version, and its name at that time; null and empty for none. */
  template_id: string | null;
  template_version: number | null;
  template_name: Generated<string>;
}

interface TaskSteps {
  step_id: string;
  task_id: string;
  number: number;
  /** The section of the form; empty for a task without one. */
  key: string;
  is_required: Bit;
  version: number;
  is_settled: Bit;
  data: Encrypted;
  /** As that of a task. */
  firm_data: Encrypted<string | null>;
}

/** A value that somebody entered, by its path in the task; `#comment` and `#not-apply` are those of the task. */
interface TaskAnswers {
  answer_id: string;
  task_id: string;
  path: string;
  /** JSON. */
  value: Encrypted;
  version: number;
  changed_at: Millis;
  changed_by: string;
  /** The tab of the editor that wrote it, with the number of its change; empty and 0 for a form. */
  changed_by_tab: string;
  tab_sequence: number;
}

/** What somebody entered where another person had changed the answer meanwhile, until one of the two is chosen. */
interface TaskKeptAnswers {
  kept_id: string;
  task_id: string;
  path: string;
  /** JSON. */
  value: Encrypted;
  kept_at: Millis;
  kept_by: string;
  kept_by_tab: string;
  tab_sequence: number;
}

/** What a client submitted. Never changed but for what happened with it afterwards. */
interface TaskSubmissions {
  submission_id: string;
  task_id: string;
  number: number;
  submitted_at: Millis;
  submitted_by: string;
  /** The frozen content as JSON, and the SHA-256 of its text in hex. */
  content: Encrypted;
  content_sha256: string;
  receipt: number | null;
  opened_at: Millis | null;
  opened_by: string | null;
  taken_back_at: Millis | null;
  decision: '' | 'accepted' | 'returned';
  reason: Encrypted<string | null>;
  decided_at: Millis | null;
  decided_by: string | null;
}

/** What the firm decided about an item of a submission. Rows are only added; the highest sequence of an item counts. */
interface TaskDecisions {
  decision_id: string;
  task_id: string;
  /** The number of the submission. */
  submission: number;
  /** The item: a question, a row of a group, or a group without rows. */
  path: string;
  sequence: number;
  decision: 'accepted' | 'returned' | 'open';
  reason: Encrypted<string | null>;
  decided_at: Millis;
  decided_by: string;
}
