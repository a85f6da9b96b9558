import type { Readable } from 'node:stream';
import { CONTAINER_TYPES, type ContainerType } from '#features/documents/folders/folders.ts';
import type { Actor } from '#features/base/people/people.ts';
import { readBlob } from '#platform/storage/blobs.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { assertServable } from './scan-state.server.ts';
import { documentsOf, type DocumentRow } from './scope.server.ts';

/** The content of a document to send: its owner, name, type, size, digests, and a function that opens it. */
export interface DocumentBytes {
  documentId: string;
  clientId: string;
  name: string;
  mimeType: string;
  size: number;
  sha256: string;
  crc32: number;
  modifiedAt: number;
  open: (range?: { start: number; end: number }) => Readable;
}

/**
 * Loads the contents of documents that the actor may see; INFECTED if one of them has a virus. Marks nothing
 * read.
 */
export async function bytesOf(actor: Actor, ids: readonly string[]): Promise<DocumentBytes[]> {
  if (ids.length === 0) return [];
  const rows = await documentsOf(actor)
    .where('documents.document_id', 'in', ids)
    .orderBy('documents.name_key')
    .execute();
  if (rows.length !== new Set(ids).size) throw notFound();
  rows.forEach(assertServable);
  return rows.map(presentBytes);
}

export interface Place {
  containerType: ContainerType;
  containerId: string;
}

export async function servableIn(actor: Actor, place: Place, documentId: string): Promise<DocumentRow> {
  const row = await documentsOf(actor)
    .where('documents.document_id', '=', documentId)
    .where('documents.container_id', '=', place.containerId)
    .executeTakeFirst();
  if (!row || CONTAINER_TYPES[row.container_type] !== place.containerType) throw notFound();
  assertServable(row);
  return row;
}

export const presentBytes = (row: DocumentRow): DocumentBytes => ({
  documentId: row.document_id,
  clientId: row.client_id,
  name: row.name,
  mimeType: row.mime_type,
  size: row.size,
  sha256: row.sha256,
  crc32: row.crc32,
  modifiedAt: row.modified_at,
  open: (range) => readBlob(row.blob_key, range),
});
