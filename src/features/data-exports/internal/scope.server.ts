import type { Firm } from '#features/firms/firms.ts';
import type { Actor } from '#features/people/people.ts';
import type { Lang } from '#platform/languages.ts';

/** What an export contains, for whom, and in which language. */
export interface ExportScope {
  actor: Actor;
  firm: Firm;
  /** Null for the whole firm. */
  clientId: string | null;
  lang: Lang;
  createdAt: number;
  /** Called after each document. */
  onDocument: (size: number, isOmitted: boolean) => Promise<void>;
}

export interface ExportedClient {
  id: string;
  name: string;
  code: string;
  archivedAt: number | null;
  /** Its id, and those of the clients that were merged into it. */
  ids: string[];
}

/** A document in the manifest; `path` is relative to its client's folder. */
export interface ExportedDocument {
  id: string;
  path: string;
  name: string;
  folder: string;
  size: number;
  sha256: string;
  crc32: number;
  mimeType: string;
  blobKey: string;
  addedAt: number;
  addedBy: string;
  isByStaff: boolean;
  modifiedAt: number;
  scan: string;
  /** Why its bytes are not in the archive. */
  problem: '' | 'infected' | 'damaged';
}
