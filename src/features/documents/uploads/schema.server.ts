import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  upload_notices: {
    key: ['document_id'],
    encrypted: { message: 'always' },
    ofClient: { exported: { not: 'The emails are exported.' } },
  },
  uploads: {
    key: ['upload_id'],
    ofClient: {
      exported: { not: 'A complete one is a document.' },
      merged: 'follows',
      kept: { until: 'it is complete, or expires' },
    },
  },
  upload_parts: {
    key: ['upload_id', 'number'],
    ofClient: { exported: { not: 'A complete upload is a document.' } },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    upload_notices: UploadNotices;
    uploads: Uploads;
    upload_parts: UploadParts;
  }
}

/** Uploaded documents to notify the other side of, once; `told_at` is null until the mail is queued. */
interface UploadNotices {
  document_id: string;
  company_id: string;
  container_id: string;
  created_by: string;
  by_staff: Bit;
  /** What staff say to the contacts besides; null for nothing. */
  message: Encrypted<string | null>;
  created_at: Millis;
  told_at: Millis | null;
}

/** A resumable upload. Open until `document_id` is set or it expires. */
interface Uploads {
  upload_id: string;
  company_id: string;
  client_id: string;
  contact_id: string;
  /** The requested target; with `into_uploads`, the client's upload folder. */
  container_id: string;
  container_type: 'Client' | 'Project' | 'Folder';
  into_uploads: Bit;
  name: string;
  on_conflict: 'rename' | 'fail';
  size: number;
  /** Bytes of the parts received. */
  received: number;
  parts: number;
  /** The file's last modification time in the browser, which recognizes it by this, its name and its size. */
  last_modified: Millis | null;
  created_at: Millis;
  expires_at: Millis;
  document_id: string | null;
}

interface UploadParts {
  upload_id: string;
  /** From 1, in the order of the file. */
  number: number;
  size: number;
  blob_key: string;
}
