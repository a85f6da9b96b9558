import type { Generated } from 'kysely';
import type { Bit, Millis, TableDeclarations } from '#platform/schema.server.ts';

export const tables = {
  containers: { key: ['container_id'] },
  container_roles: { key: ['contact_id', 'container_id'] },
  item_locks: { key: ['item_id', 'kind'] },
  documents: { key: ['document_id'] },
  document_reads: { key: ['document_id', 'contact_id'] },
  item_metadata: { key: ['document_id', 'meta_key'] },
  upload_notices: { key: ['document_id'] },
  uploads: { key: ['upload_id'] },
  upload_parts: { key: ['upload_id', 'number'] },
} as const satisfies TableDeclarations;

declare module '#platform/schema.server.ts' {
  interface Tables {
    containers: Containers;
    container_roles: ContainerRoles;
    item_locks: ItemLocks;
    documents: Documents;
    document_reads: DocumentReads;
    item_metadata: ItemMetadata;
    upload_notices: UploadNotices;
    uploads: Uploads;
    upload_parts: UploadParts;
  }
}

interface Containers {
  container_id: string;
  company_id: string;
  client_id: string;
  container_type: 'client' | 'project' | 'folder';
  parent_id: string | null;
  name: string;
  name_key: string;
  product_type: string | null;
  processing_year: number | null;
  /** The number of documents that are not deleted, maintained by triggers. */
  document_count: Generated<number>;
  created_by: string;
  created_at: Millis;
  modified_at: Millis;
}

/** The role of a contact in a container and its descendants, where the firm assigned one. */
interface ContainerRoles {
  container_id: string;
  contact_id: string;
  role: 'Owner' | 'Contributor';
}

/** Locks on containers and documents; a `Read` lock of level `Master` makes the item read-only. */
interface ItemLocks {
  item_id: string;
  kind: 'Read';
  level: 'Master';
  client_id: string;
  locked_by: string;
  locked_at: Millis;
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
  created_by: string;
  uploaded_by_staff: Bit;
  created_at: Millis;
  modified_at: Millis;
  deleted_at: Millis | null;
  /** Who deleted it. */
  deleted_by: string | null;
  /** When bytes and name were purged; the row stays because others reference it. */
  purged_at: Millis | null;
  /** The number of comments, maintained by triggers. */
  comments_count: Generated<number>;
  /** The result of the virus scan; null without a scanner. `unscanned` means too large. */
  scan: Generated<'pending' | 'clean' | 'infected' | 'unscanned' | null>;
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

/** Uploaded documents to notify the other side of, once; `told_at` is null until the mail is queued. */
interface UploadNotices {
  document_id: string;
  company_id: string;
  container_id: string;
  created_by: string;
  by_staff: Bit;
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
