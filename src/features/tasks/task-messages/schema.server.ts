import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  task_messages: {
    key: ['message_id'],
    encrypted: { body: 'some rows' },
    ofClient: { exported: 'messages.csv' },
  },
  task_reads: {
    key: ['task_id', 'contact_id'],
    ofClient: { exported: { not: 'Up to where somebody has read.' } },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    task_messages: TaskMessages;
    task_reads: TaskReads;
  }
}

/** What the firm and the client write to each other about a task. */
interface TaskMessages {
  message_id: string;
  company_id: string;
  task_id: string;
  /** The order within its task, from 1. */
  number: number;
  /** Null after it was withdrawn. */
  body: Encrypted<string | null>;
  /** A note of the firm, which no contact sees. */
  is_internal: Bit;
  by_staff: Bit;
  created_by: string;
  created_at: Millis;
  withdrawn_at: Millis | null;
}

/** Up to which number a person has read the messages on a task. */
interface TaskReads {
  task_id: string;
  contact_id: string;
  read_number: number;
}
