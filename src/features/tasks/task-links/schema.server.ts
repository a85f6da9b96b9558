import type { ScanState } from '#features/documents/documents/documents.ts';
import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  task_links: {
    key: ['link_id'],
    encrypted: { person: 'some rows', email: 'some rows' },
    ofClient: {
      exported: {
        not: 'Whom a contact asked concerns the firm only once the contact has taken over the answer.',
      },
    },
  },
  task_link_visits: {
    key: ['visit_hash'],
    ofClient: { exported: { not: 'A browser in which a link is open.' } },
  },
  task_proposals: {
    key: ['link_id'],
    encrypted: { content: 'always' },
    ofClient: {
      exported: { not: 'It is for the contact alone until they take it over, which makes it an answer.' },
    },
  },
  task_link_files: {
    key: ['file_id'],
    ofClient: {
      exported: { not: 'It is for the contact alone until they accept it, which makes it a document.' },
    },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    task_links: TaskLinks;
    task_link_visits: TaskLinkVisits;
    task_proposals: TaskProposals;
    task_link_files: TaskLinkFiles;
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

/** A file that came by a link, until the contact accepts it, which makes it a document, or it is deleted. */
interface TaskLinkFiles {
  file_id: string;
  link_id: string;
  /** The question that it answers. */
  path: string;
  name: string;
  name_key: string;
  mime_type: string;
  size: number;
  sha256: string;
  crc32: number;
  blob_key: string;
  /** As that of a document. */
  scan: ScanState | null;
  /** Of link, question, name, bytes and the key of its client, to recognize a file that is sent again. */
  upload_hash: string | null;
  created_at: Millis;
}
