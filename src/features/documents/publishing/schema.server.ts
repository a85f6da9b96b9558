import type { Generated } from 'kysely';
import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { BatchState, FileProblem, MatchedBy } from './publishing.ts';

export const tables = {
  publish_batches: {
    key: ['batch_id'],
    encrypted: { message: 'always' },
    ofClient: {
      exported: { not: 'What was published is a document, and the emails about it are exported.' },
      merged: 'follows',
      kept: 'with client',
    },
  },
  publish_files: {
    key: ['file_id'],
    ofClient: {
      exported: { not: 'What was published is a document; what was not is a draft of the firm.' },
      merged: 'follows',
      kept: { until: 'it is published or removed' },
    },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    publish_batches: PublishBatches;
    publish_files: PublishFiles;
  }
}

/** Files that a member of staff publishes to many clients. */
interface PublishBatches {
  batch_id: string;
  company_id: string;
  created_by: string;
  name: string;
  /** The folder of each client, as a path with slashes; `{year}` stands for the year, empty for the firm's folder. */
  folder: string;
  year: number;
  /** The client of a batch for one, all of whose files are for it; null if the files are matched. */
  client_id: string | null;
  /** The folder that was chosen for the one client; null for `folder`. */
  container_id: string | null;
  /** What the notification says to the contacts besides; null for nothing. */
  message: Encrypted<string | null>;
  /** Whether the contacts are notified. */
  notify: Bit;
  state: BatchState;
  created_at: Millis;
  published_at: Millis | null;
  /** When the contacts are notified of a published batch, which can be taken back before; null for never. */
  notify_at: Millis | null;
  /** How many contacts were notified; null as long as none were. */
  notified_count: number | null;
}

interface PublishFiles {
  file_id: string;
  batch_id: string;
  name: string;
  name_key: string;
  mime_type: string;
  size: number;
  sha256: string;
  crc32: number;
  /** Null once the bytes belong to the document. */
  blob_key: string | null;
  client_id: string | null;
  matched_by: MatchedBy | null;
  /** A folder of its own, as that of the batch; null for that of the batch. */
  folder: string | null;
  /** Why it cannot be published as it is; null while it has not been matched. */
  problem: FileProblem | null;
  /** JSON: what says for which client it is. */
  evidence: Generated<string>;
  /** The client that a list names for it. */
  listed_client_id: string | null;
  document_id: string | null;
  created_at: Millis;
}
