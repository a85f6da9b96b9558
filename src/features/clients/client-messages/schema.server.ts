import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  client_messages: {
    key: ['message_id'],
    encrypted: { body: 'some rows' },
    ofClient: { exported: 'client-messages.csv', merged: 'follows', kept: 'with client' },
  },
  client_message_reads: {
    key: ['client_id', 'contact_id'],
    ofClient: {
      exported: { not: 'Up to where somebody has read.' },
      merged: { not: 'What came before counts as read for those who have read the other conversation.' },
      kept: 'with client',
    },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    client_messages: ClientMessages;
    client_message_reads: ClientMessageReads;
  }
}

/** What the firm and the people of a client write to each other, without a task. */
interface ClientMessages {
  message_id: string;
  company_id: string;
  client_id: string;
  /** Null after it was withdrawn. */
  body: Encrypted<string | null>;
  /** A note of the firm, which no contact sees. */
  is_internal: Bit;
  by_staff: Bit;
  created_by: string;
  /** Later than that of every message before. */
  created_at: Millis;
  withdrawn_at: Millis | null;
}

/** Up to which message a person has read those with a client. */
interface ClientMessageReads {
  client_id: string;
  contact_id: string;
  /** When that message was written. */
  read_to: Millis;
  read_at: Millis;
}
