import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/schema.server.ts';

export const tables = {
  task_links: { key: ['link_id'], encrypted: { person: 'some rows', email: 'some rows' } },
  task_link_visits: { key: ['visit_hash'] },
  task_proposals: { key: ['link_id'], encrypted: { content: 'always' } },
} as const satisfies TableDeclarations;

declare module '#platform/schema.server.ts' {
  interface Tables {
    task_links: TaskLinks;
    task_link_visits: TaskLinkVisits;
    task_proposals: TaskProposals;
  }
}

/** A link to one step of a task, or with the purpose `phone` to one question that asks for files. */
interface TaskLinks {
  link_id: string;
  company_id: string;
  task_id: string;
  purpose: 'answer' | 'phone';
  /** The step that its person sees. */
  section: string;
  /** The question of a phone; empty for a step. */
  path: string;
  /** Who is asked, by name and email; null for a phone. */
  person: Encrypted<string | null>;
  email: Encrypted<string | null>;
  token_hash: string;
  /** The argon2 hash of the access code; null for a phone. */
  code_hash: string | null;
  code_tries: number;
  code_paused_until: Millis | null;
  /** Whether its person sees what the step contains already. */
  shows_answers: Bit;
  made_by: string;
  made_at: Millis;
  expires_at: Millis;
  /** When it was opened first; a phone's link works only for the browser that did. */
  opened_at: Millis | null;
  revoked_at: Millis | null;
}

/** A browser that opened a link; the hash of the value of its cookie. */
interface TaskLinkVisits {
  visit_hash: string;
  link_id: string;
  expires_at: Millis;
}

/** What the person of a link answered, until the contact who asked decides about it. */
interface TaskProposals {
  link_id: string;
  /** The answers by path, as JSON. */
  content: Encrypted;
  saved_at: Millis;
  /** When it was sent to the contact; null while it can be changed. */
  sent_at: Millis | null;
  decision: '' | 'taken' | 'part' | 'declined';
  decided_at: Millis | null;
  decided_by: string | null;
}
