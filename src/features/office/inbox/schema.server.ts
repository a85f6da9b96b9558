import type { Generated } from 'kysely';
import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  inbox_items: {
    key: ['item_id'],
    maintained: ['client_since'],
    encrypted: { name: 'always', detail: 'always' },
    ofClient: {
      exported: { not: 'What waits for the firm follows from what is exported.' },
      merged: 'follows',
      kept: { until: '30 days after it is done' },
    },
  },
  inbox_targets: {
    key: ['target', 'item_id'],
    encrypted: { name: 'always' },
    ofClient: { exported: { not: 'What waits for the firm follows from what is exported.' } },
  },
  inbox_dismissals: {
    key: ['item_id', 'contact_id'],
    ofClient: { exported: { not: 'What somebody hid in their own list.' } },
  },
  inbox_reads: {
    key: ['contact_id', 'item_id'],
    ofClient: { exported: { not: 'What somebody has read in their own list.' } },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    inbox_items: InboxItems;
    inbox_targets: InboxTargets;
    inbox_dismissals: InboxDismissals;
    inbox_reads: InboxReads;
  }
}

/** What waits for the firm; entries with the same `group_key` share a row until it is done. */
interface InboxItems {
  item_id: string;
  company_id: string;
  client_id: string | null;
  /** The member of staff it is for, where it is not for those responsible for the client. */
  contact_id: string | null;
  /** As a feature declares it in `inbox`. */
  kind: string;
  group_key: string;
  /** The name of a document, or an email address. */
  name: Encrypted;
  /** What else its row says, such as a reason. */
  detail: Encrypted<string | null>;
  /** How many entries wait. */
  count: number;
  created_at: Millis;
  /** Since when the client of an open row waits; maintained by triggers. */
  client_since: Generated<Millis>;
  modified_at: Millis;
  /** When its latest entry came in: what was read earlier is unread again. */
  added_at: Millis;
  done_at: Millis | null;
  /** Who marked it done; null if it left by itself. */
  done_by: string | null;
}

/** The entries of a row. */
interface InboxTargets {
  target: string;
  item_id: string;
  /** Its own name: the row gets the name of one that still waits. */
  name: Encrypted;
}

/** Rows that someone has marked as not theirs. */
interface InboxDismissals {
  item_id: string;
  contact_id: string;
  dismissed_at: Millis;
}

/** When a member of staff last opened a row or marked it as read. */
interface InboxReads {
  contact_id: string;
  item_id: string;
  read_at: Millis;
}
