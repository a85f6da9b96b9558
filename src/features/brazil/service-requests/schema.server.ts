import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { RequestAction, RequestOutcome, RequestStatus } from './course.ts';

const CLIENT_ALONE = { not: 'What was submitted is exported; the rest is for the client alone.' } as const;

export const tables = {
  service_request_forms: { key: ['form_id'] },
  service_request_numbers: { key: ['company_id', 'year'] },
  service_request_settings: { key: ['company_id', 'type'] },
  service_requests: {
    key: ['request_id'],
    encrypted: { about: 'always' },
    ofClient: { exported: 'service-requests.csv', merged: 'follows', kept: 'with client' },
  },
  service_request_answers: {
    key: ['answer_id'],
    encrypted: { value: 'always' },
    ofClient: { exported: CLIENT_ALONE },
  },
  service_request_kept_answers: {
    key: ['kept_id'],
    encrypted: { value: 'always' },
    ofClient: { exported: CLIENT_ALONE },
  },
  service_request_submissions: {
    key: ['submission_id'],
    encrypted: { content: 'always' },
    ofClient: { exported: 'service-request-submissions.csv' },
  },
  service_request_messages: {
    key: ['message_id'],
    encrypted: { body: 'always' },
    ofClient: { exported: 'service-request-messages.csv' },
  },
  service_request_files: {
    key: ['message_id', 'document_id'],
    ofClient: { exported: 'service-request-files.csv' },
  },
  service_request_marks: {
    key: ['mark_id'],
    encrypted: { reason: 'always' },
    ofClient: { exported: 'service-request-marks.csv' },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    service_request_forms: ServiceRequestForms;
    service_request_numbers: ServiceRequestNumbers;
    service_request_settings: ServiceRequestSettings;
    service_requests: ServiceRequests;
    service_request_answers: ServiceRequestAnswers;
    service_request_kept_answers: ServiceRequestKeptAnswers;
    service_request_submissions: ServiceRequestSubmissions;
    service_request_messages: ServiceRequestMessages;
    service_request_files: ServiceRequestFiles;
    service_request_marks: ServiceRequestMarks;
  }
}

/** What requests ask, as JSON. It never changes; requests with the same form share it. */
interface ServiceRequestForms {
  form_id: string;
  company_id: string;
  sha256: string;
  body: string;
  created_at: Millis;
  /** JSON: the answers that the firm gives for all clients, by their paths. */
  locked: string;
}

/** The last number of a firm in a year. */
interface ServiceRequestNumbers {
  company_id: string;
  year: number;
  last_number: number;
}

/** What a firm has decided about a kind of requests. */
interface ServiceRequestSettings {
  company_id: string;
  type: RequestType;
  is_open: Bit;
  /** JSON: its decisions about questions, by their paths. */
  overlay: string;
  /** JSON: its answers to questions that it has locked, by their paths. */
  locked: string;
  /** How many days the client has to answer. */
  lapse_days: number;
  /** In how many business days it promises an answer; null if it promises none. */
  promise_days: number | null;
  /** JSON: the rules that warn instead of asking for a reason. */
  softened: string;
  changed_at: Millis;
  changed_by: string;
}

/** What a client asks of its payroll office. Days are `2026-11-28`. */
interface ServiceRequests {
  request_id: string;
  company_id: string;
  client_id: string;
  year: number;
  number: number;
  type: RequestType;
  form_id: string;
  status: RequestStatus;
  outcome: RequestOutcome | null;
  employee_id: string | null;
  /** Whom or what it is about, as the client has answered; empty until then. */
  about: Encrypted;
  is_begun_by_firm: Bit;
  created_at: Millis;
  created_by: string;
  changed_at: Millis;
  submitted_at: Millis | null;
  /** The number of the newest submission; 0 before the first. */
  submission: number;
  /** When staff have opened it since it was sent. */
  opened_at: Millis | null;
  replied_at: Millis | null;
  /** That day of the firm, which is compared with the date of the law. */
  replied_on: string | null;
  /** Since when it waits for the side that its status names. */
  waits_since: Millis | null;
  /** By when the client has to answer. */
  lapses_on: string | null;
  /** By when the law wants it done. */
  due_on: string | null;
  /** By when the firm has promised an answer, while it waits for one. */
  promised_on: string | null;
  /** The member of staff who looks after it. */
  responsible: string | null;
  version: number;
  deleted_at: Millis | null;
  /** Only the minimum was sent: the client still fills in the rest. */
  is_minimum: Bit;
  /** How many notices were sent that it will lapse, since it waits for the client. */
  lapse_notices: number;
  /** When staff last reminded its client. */
  reminded_at: Millis | null;
}

/** A value that somebody entered, by its path; `#reason-V5` is why the client wants what the rule V5 asks about. */
interface ServiceRequestAnswers {
  answer_id: string;
  request_id: string;
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
interface ServiceRequestKeptAnswers {
  kept_id: string;
  request_id: string;
  path: string;
  /** JSON. */
  value: Encrypted;
  kept_at: Millis;
  kept_by: string;
  kept_by_tab: string;
  tab_sequence: number;
}

/** What a client has sent. Never changed. */
interface ServiceRequestSubmissions {
  submission_id: string;
  request_id: string;
  number: number;
  submitted_at: Millis;
  submitted_by: string;
  /** The frozen content as JSON, and the SHA-256 of its text in hex. */
  content: Encrypted;
  content_sha256: string;
  receipt: number | null;
}

/** What the two sides write to each other, and what happened with the request. */
interface ServiceRequestMessages {
  message_id: string;
  company_id: string;
  request_id: string;
  /** The order within its request, from 1. */
  number: number;
  /** A message or a note of the firm, or the action that it comes with. */
  kind: 'message' | 'note' | RequestAction;
  /** Empty where an action needs no words. */
  body: Encrypted;
  by_staff: Bit;
  created_by: string;
  created_at: Millis;
}

/** The documents that came with a message. */
interface ServiceRequestFiles {
  message_id: string;
  document_id: string;
}

/** An answer of a submission that the firm returned. */
interface ServiceRequestMarks {
  mark_id: string;
  request_id: string;
  /** The number of the submission. */
  submission: number;
  path: string;
  reason: Encrypted;
  marked_at: Millis;
  marked_by: string;
}
