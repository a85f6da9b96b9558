import type { Generated } from 'kysely';
import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  documents: {
    key: ['document_id'],
    maintained: ['seq', 'comments_count'],
    inOrderOf: 'seq',
    ofClient: { exported: 'manifest.csv', merged: 'follows', kept: 'by retention rules' },
  },
  document_senders: {
    key: ['document_id'],
    encrypted: { sent_by: 'always' },
    ofClient: { exported: 'manifest.csv' },
  },
  document_reads: { key: ['document_id', 'contact_id'], ofClient: { exported: 'document-reads.csv' } },
  item_metadata: {
    key: ['document_id', 'meta_key'],
    ofClient: {
      exported: 'document-metadata.csv',
      merged: 'follows',
      kept: { until: 'its document is purged' },
    },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    documents: Documents;
    document_senders: DocumentSenders;
    document_reads: DocumentReads;
    item_metadata: ItemMetadata;
  }
}

interface Documents {
  document_id: string;
  seq: Generated<number>;
  company_id: string;
  client_id: string;
  container_id: string;
  name: string;
  name_key: string;
  mime_type: string;
  size: number;
  sha256: string;
  crc32: number;
  blob_key: string;
  /** Who added it, or had asked for it. */
  created_by: string;
  uploaded_by_staff: Bit;
  created_at: Millis;
  modified_at: Millis;
  deleted_at: Millis | null;
  /** Who deleted it. */
  deleted_by: string | null;
  /** The folder with which it was deleted; null if by itself. */
  deleted_with: string | null;
  /** When bytes and name were purged; the row stays because others reference it. */
  purged_at: Millis | null;
  /** The number of comments, maintained by triggers. */
  comments_count: Generated<number>;
  /** The result of the virus scan; null without a scanner. `unscanned` means too large. */
  scan: Generated<'pending' | 'clean' | 'infected' | 'unscanned' | null>;
  /**
   * Whether the answer to a task that it was uploaded for is still open or was submitted; null if it was uploaded
   * otherwise. The firm does not see it while the answer is open.
   */
  answer_state: Generated<'open' | 'submitted' | null>;
  /** The action of the portal, such as `service-request/vacation-notice`, whose people alone see it; null for all. */
  audience: Generated<string | null>;
}

/** Who sent a document without an account, because its `created_by` had asked them. */
interface DocumentSenders {
  document_id: string;
  /** Their name. */
  sent_by: Encrypted;
}

interface DocumentReads {
  document_id: string;
  contact_id: string;
  read_at: Millis;
}

/**
 * Metadata of a document, set by API clients; `document_created_at` is a copy, to find the newest documents
 * with a value.
 */
interface ItemMetadata {
  document_id: string;
  client_id: string;
  meta_key: string;
  meta_value: string;
  document_created_at: Millis;
}
