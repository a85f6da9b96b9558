import type { Readable } from 'node:stream';
import { assertActsFor } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { keepBlob, putBlob, readBlob, removeBlob, type StoredBlob } from '#platform/blobs.server.ts';
import { audit } from '#platform/audit.server.ts';
import { now } from '#platform/clock.server.ts';
import { newId } from '#platform/crypto.server.ts';
import { db, inTransaction, isUniqueViolation } from '#platform/database.server.ts';
import { notFound, PortalError } from '#platform/errors.server.ts';
import { CONTAINER_TYPES, containerOf, nameKey, permissionsOn } from './containers.server.ts';
import type { ContainerType, Document, DocumentPage, DocumentQuery } from './documents.ts';
import { extensionOf, freeName, isExecutable, MOST_BYTES, nameIsAcceptable } from './rules.ts';
import { ALLOWED_TYPES, assertContentAgrees } from './signatures.server.ts';
import { documentsOf, namesTaken, pageOfDocuments, type ContainerRow, type DocumentRow } from './store.server.ts';

export { createFolder, createProject, defaultFolder, findDefaultFolder, listContainers } from './containers.server.ts';
export { documentsUnder } from './descendants.server.ts';
export { containerNames, documentNames } from './names.server.ts';
export { constraints } from './signatures.server.ts';

/** One page of a client's documents, all of them or those of some containers (spec 1 section 7, GET containers/documents). */
export async function listDocuments(actor: Actor, clientId: string, query: DocumentQuery): Promise<DocumentPage> {
  await assertActsFor(actor, clientId);
  const named = query.parentIds?.split(',').filter(Boolean).slice(0, 200);
  const parentIds = named && named.length > 0 ? named : undefined;
  const { rows, total } = await pageOfDocuments(actor, clientId, parentIds, query);
  return {
    items: rows.map((row) => presentDocument(actor, row)),
    pageIndex: Math.floor(query.from / query.pageSize),
    totalPages: Math.max(1, Math.ceil(total / query.pageSize)),
    total,
  };
}

/** The documents with these ids, in their order; NOT_FOUND when the actor may not see every one of them. */
export async function documentsByIds(actor: Actor, ids: readonly string[]): Promise<Document[]> {
  if (ids.length === 0) return [];
  const rows = await documentsOf(actor).where('documents.document_id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.document_id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    if (!row) throw notFound();
    return presentDocument(actor, row);
  });
}

/** The client whose document this is; NOT_FOUND when the actor may not see it. */
export async function clientOfDocument(actor: Actor, documentId: string): Promise<string> {
  const row = await documentsOf(actor).where('documents.document_id', '=', documentId).executeTakeFirst();
  if (!row) throw notFound();
  return row.client_id;
}

/** The clients whose papers these documents are, whoever may see them: for the audit trail. */
export async function clientsOfDocuments(ids: readonly string[]): Promise<string[]> {
  const rows = await db().selectFrom('documents').select('client_id').distinct().where('document_id', 'in', ids).execute();
  return rows.map((row) => row.client_id);
}

/** A document's bytes to send: name, type, size, digests, and a function that opens them. */
export interface DocumentBytes {
  name: string;
  mimeType: string;
  size: number;
  sha256: string;
  crc32: number;
  modifiedAt: number;
  open: (range?: { start: number; end: number }) => Readable;
}

/** The bytes of documents that the actor may see. It marks nothing read. */
export async function bytesOf(actor: Actor, ids: readonly string[]): Promise<DocumentBytes[]> {
  const rows = await documentsOf(actor).where('documents.document_id', 'in', ids).orderBy('documents.name_key').execute();
  if (rows.length !== new Set(ids).size) throw notFound();
  return rows.map(presentBytes);
}

/** A document in a container of that type, and its bytes. Opening it to read, not only to look, marks it read for a contact (product.md, Documents), unless staff look as them. */
export async function openDocument(actor: Actor, place: { containerType: ContainerType; containerId: string }, documentId: string, reads: boolean): Promise<DocumentBytes> {
  const row = await documentsOf(actor).where('documents.document_id', '=', documentId).where('documents.container_id', '=', place.containerId).executeTakeFirst();
  if (!row || CONTAINER_TYPES[row.container_type] !== place.containerType) throw notFound();
  if (reads && actor.viewedBy === undefined) {
    await inTransaction(async () => {
      if (!actor.staff) await markRead(actor, documentId);
      await audit({ companyId: row.company_id, actor: actor.contactId, action: 'document.download', target: documentId, clientId: row.client_id });
    });
  }
  return presentBytes(row);
}

async function markRead(actor: Actor, documentId: string): Promise<void> {
  await db()
    .insertInto('document_reads')
    .values({ document_id: documentId, contact_id: actor.contactId, read_at: now() })
    .onConflict((conflict) => conflict.columns(['document_id', 'contact_id']).doNothing())
    .execute();
}

/** Which of the names a container holds already (spec 1 section 7, documents/exists). */
export async function existing(actor: Actor, type: ContainerType, containerId: string, names: readonly string[]): Promise<boolean[]> {
  const place = await containerOf(actor, type, containerId);
  const taken = await namesTaken(place.container_id, names.map(nameKey));
  return names.map((name) => taken.has(nameKey(name)));
}

interface Incoming {
  containerType: ContainerType;
  containerId: string;
  name: string;
  bytes: Readable;
  /** `rename` takes the next free name, `fail` refuses with NAME_CONFLICT and suggests one. */
  onConflict: 'rename' | 'fail';
}

/**
 * Adds a document and answers it when its bytes are safe on disk. Refuses with BAD_NAME, TYPE_NOT_ALLOWED (by name or by content),
 * EMPTY, TOO_LARGE, NAME_CONFLICT (`suggestion`), FORBIDDEN. A refused or broken upload leaves nothing.
 */
export async function addDocument(actor: Actor, input: Incoming): Promise<Document> {
  const name = input.name.normalize('NFC');
  const mime = typeFor(name);
  const place = await containerOf(actor, input.containerType, input.containerId);
  if (!permissionsOn(actor).addContents) throw new PortalError('FORBIDDEN');
  const extension = extensionOf(name);
  if (input.onConflict === 'fail' && (await namesTaken(place.container_id, [nameKey(name)])).size > 0) throw await nameConflict(place, name);
  const blob = await putBlob(input.bytes, MOST_BYTES, (head) => assertContentAgrees(extension, head));
  try {
    return await insertUnderFreeName(actor, place, name, mime, blob, input.onConflict);
  } catch (error) {
    await removeBlob(blob.key);
    if (isUniqueViolation(error)) throw await nameConflict(place, name);
    throw error;
  }
}

/** On PostgreSQL two uploads may find the same name free at the same moment: who comes second looks again. */
async function insertUnderFreeName(actor: Actor, place: ContainerRow, name: string, mime: string, blob: StoredBlob, onConflict: Incoming['onConflict']): Promise<Document> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await inTransaction(async () => insertDocument(actor, place, onConflict === 'rename' ? await nextFreeName(place, name) : name, mime, blob));
    } catch (error) {
      if (onConflict === 'fail' || tries === MOST_TRIES || !isUniqueViolation(error)) throw error;
    }
  }
}

const MOST_TRIES = 100;

function typeFor(name: string): string {
  if (!nameIsAcceptable(name)) throw new PortalError('BAD_NAME', { name });
  const type = ALLOWED_TYPES[extensionOf(name)];
  if (!type || isExecutable(name)) throw new PortalError('TYPE_NOT_ALLOWED', { name });
  return type.mime;
}

async function insertDocument(
  actor: Actor,
  place: ContainerRow,
  name: string,
  mime: string,
  blob: StoredBlob,
): Promise<Document> {
  const documentId = newId('doc');
  const instant = now();
  await keepBlob(blob);
  await db()
    .insertInto('documents')
    .values({
      document_id: documentId,
      company_id: place.company_id,
      client_id: place.client_id,
      container_id: place.container_id,
      name,
      name_key: nameKey(name),
      mime_type: mime,
      size: blob.size,
      sha256: blob.sha256,
      crc32: blob.crc32,
      blob_key: blob.key,
      created_by: actor.contactId,
      uploaded_by_staff: actor.staff ? 1 : 0,
      created_at: instant,
      modified_at: instant,
      deleted_at: null,
    })
    .execute();
  if (!actor.staff) await markRead(actor, documentId);
  await audit({ companyId: place.company_id, actor: actor.contactId, action: 'document.upload', target: documentId, clientId: place.client_id, details: { sha256: blob.sha256, size: blob.size } });
  const [added] = await documentsByIds(actor, [documentId]);
  if (!added) throw notFound();
  return added;
}

async function nameConflict(place: ContainerRow, name: string): Promise<PortalError> {
  return new PortalError('NAME_CONFLICT', { name, suggestion: await nextFreeName(place, name) });
}

async function nextFreeName(place: ContainerRow, name: string): Promise<string> {
  const start = nameStart(name);
  const rows = await db()
    .selectFrom('documents')
    .select('name_key')
    .where('container_id', '=', place.container_id)
    .where('deleted_at', 'is', null)
    .where('name_key', '>=', start)
    .where('name_key', '<', `${start}\u{10ffff}`)
    .execute();
  const taken = new Set(rows.map((row) => row.name_key));
  return freeName(name, (candidate) => taken.has(nameKey(candidate)));
}

/** A beginning that a name and its numbered forms share, even those of a long name that were shortened. */
const nameStart = (name: string): string => [...(/^[^(.]*/.exec(nameKey(name))?.[0] ?? '')].slice(0, 40).join('');

function presentDocument(actor: Actor, row: DocumentRow): Document {
  return {
    id: row.document_id,
    name: row.name,
    type: 'Document',
    documentType: extensionOf(row.name).slice(1),
    mimeType: row.mime_type,
    originalItemSize: row.size,
    sha256: row.sha256,
    parent: { id: row.container_id, containerType: CONTAINER_TYPES[row.container_type], name: row.container_name },
    isReadByClientUser: Boolean(row.is_read),
    permissions: { ...permissionsOn(actor, row.created_by), addContents: false },
    createdBy: row.created_by_name,
    createdDate: new Date(row.created_at).toISOString(),
    modifiedDate: new Date(row.modified_at).toISOString(),
  };
}

const presentBytes = (row: DocumentRow): DocumentBytes => ({
  name: row.name,
  mimeType: row.mime_type,
  size: row.size,
  sha256: row.sha256,
  crc32: row.crc32,
  modifiedAt: row.modified_at,
  open: (range) => readBlob(row.blob_key, range),
});
