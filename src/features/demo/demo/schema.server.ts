import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  mailbox: { key: ['mail_id'], encrypted: { recipients: 'always', raw: 'always' } },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    mailbox: Mailbox;
  }
}

interface Mailbox {
  mail_id: string;
  received_at: Millis;
  recipients: Encrypted;
  raw: Encrypted;
}
