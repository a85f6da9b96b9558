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
