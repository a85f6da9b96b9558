import type { Readable } from 'node:stream';
import { actorNow, assertActsFor } from '#features/people/people.server.ts';
import type { Actor, Session } from '#features/people/people.ts';
import { commitBlob, putBlob, readBlob, removeBlob, type StoredBlob } from '#platform/blobs.server.ts';
import { audit } from '#platform/audit.server.ts';
import { DAY, HOUR, now } from '#platform/clock.server.ts';
import { newId } from '#platform/crypto.server.ts';
import { db, inTransaction, isUniqueViolation } from '#platform/database.server.ts';
import { notFound, PortalError, unlessStorageIsFull } from '#platform/errors.server.ts';
import { startOnce, hasStarted } from '#platform/limits.server.ts';
import { log } from '#platform/log.server.ts';
import { issueReceipts } from '#platform/receipts.server.ts';
import type { RequestedPart } from '#platform/send-file.server.ts';
import { containerOf, nameKey, permissionsIn, permissionsOn } from './containers.server.ts';
import { documentAddress } from './addresses.ts';
import {
  CONTAINER_TYPES,
  type ContainerType,
  type Document,
  type DocumentPage,
  type DocumentQuery,
  type Marked,
  type ReadingInput,
} from './documents.ts';
import { nextFreeName } from './free-names.server.ts';
import { extensionOf, isExecutable, MAX_BYTES, nameIsAcceptable } from './rules.ts';
import { countFetched } from './allowance.server.ts';
import { ALLOWED_TYPES, assertContentAgrees, isViewable } from './signatures.server.ts';
import { documentAdded } from './events.server.ts';
import { assertServable, scanOfNew } from './scanning.server.ts';
import { itemPermissionsOf, type ItemPermissions } from './roles.server.ts';
import {
  containersOf,
  cursorOf,
  documentsNamed,
  documentsOf,
  hasNotRead,
  markRead,
  markUnread,
  namesTaken,
  pageOfDocuments,
  type ContainerRow,
  type DocumentRow,
} from './store.server.ts';
import { metadataOf } from './metadata.server.ts';
import { loadOf, withDescendants } from './folder-tree.ts';
import { listContainers } from './tree.server.ts';

export { createFolder, createProject, defaultFolder, findDefaultFolder } from './containers.server.ts';
export { folderTitle } from './folder-names.server.ts';
export { lastFolderOf, offeredFolders } from './publishing.server.ts';
export { documentAddress } from './addresses.ts';
export { refusalWords } from './upload-refusals.ts';
export { documentsUnder } from './descendants.server.ts';
export { wayTo } from './folder-tree.ts';
export { containerNames, documentNames, scanName } from './names.server.ts';
export { rightsOf } from './rights.server.ts';
export { giveRole, setLocked } from './roles.server.ts';
export { containerTree, descendants, listContainers, listProjects, roots } from './tree.server.ts';
export { documentsNamed as documentsSeen } from './store.server.ts';
export { constraints } from './signatures.server.ts';
export {
  chosenToDelete,
  listTrash,
  purgeDocuments,
  purgeOldTrash,
  restoreDocuments,
  trashDocument,
  trashDocuments,
} from './trash.server.ts';
export { assertMayFetch, countFetched } from './allowance.server.ts';
export { sweepUploads } from './upload-rows.server.ts';
export { countUnscanned, scanEarlier, shareDenialReason } from './scanning.server.ts';
export { archiveOf, noteExported, type ArchiveFile } from './archive.server.ts';

/**
 * One page of a client's documents, all of them or those of some containers (spec 1 section 7, GET
 * containers/documents); `below` adds what is below those. FORBIDDEN for a contact who asks what is read
 * without the control ShowClientDocsReadToggle.
 */
export async function listDocuments(
  actor: Actor,
  clientId: string,
  query: DocumentQuery,
  { below = false } = {},
): Promise<DocumentPage> {
  await assertActsFor(actor, clientId);
  const named = query.parentIds?.split(',').filter(Boolean).slice(0, 200) ?? [];
  if (named.length === 0) return pageIn(actor, clientId, undefined, query);
  return pageIn(
    actor,
    clientId,
    below ? withDescendants(await listContainers(actor, clientId), named) : named,
    query,
  );
}

/** One page of the documents in one container; NOT_FOUND for one that the actor may not see. */
export async function listDocumentsIn(
  actor: Actor,
  type: ContainerType,
  containerId: string,
  query: DocumentQuery,
): Promise<DocumentPage> {
  const clientId = type === 'Client' ? containerId : (await containerOf(actor, type, containerId)).client_id;
  await assertActsFor(actor, clientId);
  return pageIn(actor, clientId, [containerId], query);
}

/**
 * The client that a list is asked for: named itself, by the custom fields, or by the first of the containers
 * that the actor may see.
 */
export async function clientOfQuery(
  actor: Actor,
  { clientId, customFields, parentIds = '' }: DocumentQuery,
): Promise<string> {
  const named =
    clientId ?? (customFields?.startsWith('clientId:') ? customFields.slice('clientId:'.length) : undefined);
  if (named !== undefined) return named;
  const row = await containersOf(actor)
    .where('container_id', 'in', parentIds.split(',').slice(0, 200))
    .orderBy('container_id')
    .executeTakeFirst();
  if (!row) throw notFound();
  return row.client_id;
}

async function pageIn(
  actor: Actor,
  clientId: string,
  parentIds: readonly string[] | undefined,
  query: DocumentQuery,
): Promise<DocumentPage> {
  if (query.readByClientUser !== undefined && !actor.staff && !loadOf(actor.access).filtersReading)
    throw new PortalError('FORBIDDEN');
  const { rows, total } = await pageOfDocuments(actor, clientId, parentIds, query);
  const last = rows.length === query.pageSize ? rows.at(-1) : undefined;
  return {
    items: await presentDocuments(actor, rows),
    pageIndex: Math.floor(query.from / query.pageSize),
    totalPages: Math.max(1, Math.ceil(total / query.pageSize)),
    total,
    next: last ? cursorOf(last, query.orderBy) : null,
  };
}

/** The documents with these ids, in their order; NOT_FOUND when the actor may not see every one of them. */
export async function documentsByIds(actor: Actor, ids: readonly string[]): Promise<Document[]> {
  const byId = new Map(
    (await presentDocuments(actor, await documentsNamed(actor, ids))).map((document) => [
      document.id,
      document,
    ]),
  );
  return ids.map((id) => {
    const document = byId.get(id);
    if (!document) throw notFound();
    return document;
  });
}

/** One document; NOT_FOUND when the actor may not see it. */
export async function documentById(actor: Actor, documentId: string): Promise<Document> {
  const [document] = await documentsByIds(actor, [documentId]);
  if (!document) throw notFound();
  return document;
}

/**
 * Marks documents as read or not read by a contact, and answers what became of each. FORBIDDEN for staff, who
 * have no such mark, and without the control ShowClientDocsReadToggle.
 */
export async function setReading(actor: Actor, { documentIds, isRead }: ReadingInput): Promise<Marked[]> {
  if (actor.staff || !loadOf(actor.access).filtersReading) throw new PortalError('FORBIDDEN');
  return inTransaction(async () => {
    const seen = new Set((await documentsNamed(actor, documentIds)).map((row) => row.document_id));
    await (isRead ? markRead : markUnread)(actor, [...seen]);
    return documentIds.map((id): Marked => ({ id, result: seen.has(id) ? 'MARKED' : 'NOT_FOUND' }));
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
  if (ids.length === 0) return [];
  const rows = await db()
    .selectFrom('documents')
    .select('client_id')
    .distinct()
    .where('document_id', 'in', ids)
    .execute();
  return rows.map((row) => row.client_id);
}

/** A document's bytes to send: whose it is, name, type, size, digests, and a function that opens them. */
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
 * The bytes of documents that the actor may see; INFECTED when one of them has a virus. It marks nothing
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

interface Place {
  containerType: ContainerType;
  containerId: string;
}

/**
 * A document in a container of that type, and its bytes. Opening it to read, not only to look, marks it read
 * for a contact (product.md, Documents), unless staff look as them.
 */
export async function openDocument(
  actor: Actor,
  place: Place,
  documentId: string,
  reads: boolean,
): Promise<DocumentBytes> {
  const row = await servableIn(actor, place, documentId);
  if (reads) await inTransaction(() => noteDownload(actor, row));
  return presentBytes(row);
}

async function servableIn(actor: Actor, place: Place, documentId: string): Promise<DocumentRow> {
  const row = await documentsOf(actor)
    .where('documents.document_id', '=', documentId)
    .where('documents.container_id', '=', place.containerId)
    .executeTakeFirst();
  if (!row || CONTAINER_TYPES[row.container_type] !== place.containerType) throw notFound();
  assertServable(row);
  return row;
}

/**
 * Read mark, receipt and audit entry of a download, as part of the open transaction; nothing while staff look
 * as a contact.
 */
async function noteDownload(actor: Actor, row: DocumentRow): Promise<void> {
  if (actor.viewedBy !== undefined) return;
  if (!actor.staff) await markRead(actor, [row.document_id]);
  const receipt = await issueReceipts({
    companyId: row.company_id,
    kind: 'download',
    actor: actor.contactId,
    documents: [presentBytes(row)],
  });
  await audit({
    companyId: row.company_id,
    actor: actor.contactId,
    action: 'document.download',
    target: row.document_id,
    clientId: row.client_id,
    details: { ...receipt },
  });
}

/**
 * A document as the person who fetches it gets it: counted and noted once for each download, and STEP_UP
 * beyond what one may fetch within an hour (threat-model.md T67). All parts that a person fetches of a
 * document within a day are one download, whichever comes first.
 */
export async function fetchDocument(
  session: Session,
  place: Place,
  documentId: string,
  requestedPart: (file: { size: number; etag: string }) => RequestedPart,
): Promise<DocumentBytes> {
  const { actor } = session;
  const row = await servableIn(actor, place, documentId);
  const asks = requestedPart({ size: row.size, etag: row.sha256 });
  const download = `download:${actor.viewedBy ?? ''}:${actor.contactId}:${documentId}`;
  if (asks === 'headers' || (asks === 'part' && (await hasStarted(download)))) return presentBytes(row);
  try {
    await countFetched(session, [row.size], async () => {
      if (!(await startOnce(download, DAY)) && asks === 'part') throw new BegunMeanwhile();
      await noteDownload(actor, row);
    });
  } catch (error) {
    if (!(error instanceof BegunMeanwhile)) throw error;
  }
  return presentBytes(row);
}

/** Of two parts that come at the same moment, one begins the download. */
class BegunMeanwhile extends Error {}

/**
 * Notes that somebody looks into a document: it counts as fetched, STEP_UP as {@link fetchDocument}; a
 * contact has read it now, and the audit trail says who looked; on a full disk only the log does. All looks
 * of half an hour are one, unless each shows the whole (`isWhole`): then each counts, and is noted once;
 * marking the document as unread starts a new look. Of staff who look as a contact it is only counted,
 * for themselves.
 */
export async function noteViewed(
  session: Session,
  { documentId, clientId, size }: Pick<DocumentBytes, 'documentId' | 'clientId' | 'size'>,
  { isWhole = false } = {},
): Promise<void> {
  const { actor } = session;
  const look = `${actor.viewedBy ?? ''} ${actor.contactId} ${documentId}`;
  const isKnown = (looks.get(look) ?? 0) > now() && !(await hasNotRead(actor, documentId));
  if (isKnown && !isWhole) return;
  const isNoted = await unlessStorageIsFull(async () => {
    await countFetched(session, [size]);
    if (isKnown || actor.viewedBy !== undefined) return;
    await inTransaction(async () => {
      if (!actor.staff) await markRead(actor, [documentId]);
      await audit({
        companyId: actor.companyId,
        actor: actor.contactId,
        action: 'document.view',
        target: documentId,
        clientId,
      });
    });
  });
  if (!isNoted) return log.warn({ event: 'document.view-not-noted' });
  if (isKnown) return;
  for (const oldest of [...looks.keys()].slice(0, Math.max(0, looks.size - MAX_LOOKS))) looks.delete(oldest);
  looks.set(look, now() + HALF_AN_HOUR);
}

/**
 * Until when one's next look at a document belongs to the last one: a document of many pages is one look, not
 * one for each page.
 */
const looks = new Map<string, number>();
const MAX_LOOKS = 5000;
const HALF_AN_HOUR = HOUR / 2;

/** Which of the names a container holds already (spec 1 section 7, documents/exists). */
export async function existing(
  actor: Actor,
  type: ContainerType,
  containerId: string,
  names: readonly string[],
): Promise<boolean[]> {
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
  /** Written in the transaction of the document, and undone with it. */
  alongWith?: (documentId: string) => Promise<void>;
}

/**
 * What would refuse a document before its bytes are there: its name, its place, and with `fail` a taken name.
 * Answers the client whose document it would be.
 */
export async function assertMayAdd(
  actor: Actor,
  input: Omit<Incoming, 'bytes' | 'alongWith'>,
): Promise<string> {
  return (await placeFor(actor, input)).place.client_id;
}

/**
 * Adds a document and answers it when its bytes are safe on disk. Refuses with BAD_NAME, TYPE_NOT_ALLOWED (by
 * name or by content), EMPTY, TOO_LARGE, NAME_CONFLICT (`suggestion`), FORBIDDEN. A refused or broken upload
 * leaves nothing.
 */
export async function addDocument(actor: Actor, input: Incoming): Promise<Document> {
  const { name, place } = await placeFor(actor, input);
  const extension = extensionOf(name);
  const blob = await putBlob(input.bytes, MAX_BYTES, (head) => assertContentAgrees(extension, head));
  try {
    return await insertUnderFreeName(actor, blob, input);
  } catch (error) {
    await removeBlob(blob.key);
    if (isUniqueViolation(error)) throw await nameConflict(place, name);
    throw error;
  }
}

async function placeFor(
  actor: Actor,
  input: Omit<Incoming, 'bytes' | 'alongWith'>,
): Promise<{ name: string; mime: string; place: ContainerRow }> {
  const name = input.name.normalize('NFC');
  const mime = typeFor(name);
  const place = await containerOf(actor, input.containerType, input.containerId);
  if (!(await permissionsIn(actor, place)).addContents) throw new PortalError('FORBIDDEN');
  if (input.onConflict === 'fail' && (await namesTaken(place.container_id, [nameKey(name)])).size > 0)
    throw await nameConflict(place, name);
  return { name, mime, place };
}

/**
 * Asks all rights again, for the bytes may have taken long to come. On PostgreSQL two uploads may find the
 * same name free at the same moment: who comes second looks again.
 */
async function insertUnderFreeName(
  actor: Actor,
  blob: StoredBlob,
  input: Omit<Incoming, 'bytes'>,
): Promise<Document> {
  const { onConflict, alongWith } = input;
  for (let tries = 0; ; tries += 1) {
    try {
      return await inTransaction(async () => {
        const current = await actorNow(actor);
        const { name, mime, place } = await placeFor(current, input);
        const freeName = onConflict === 'rename' ? await nextFreeName(place, name) : name;
        const added = await insertDocument(current, place, freeName, mime, blob);
        await alongWith?.(added.id);
        return added;
      });
    } catch (error) {
      if (onConflict === 'fail' || tries === MAX_TRIES || !isUniqueViolation(error)) throw error;
    }
  }
}

const MAX_TRIES = 100;

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
  await commitBlob(blob);
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
      scan: scanOfNew(),
    })
    .execute();
  await documentAdded.announce({ documentId, companyId: place.company_id });
  if (!actor.staff) await markRead(actor, [documentId]);
  const receipt = await issueReceipts({
    companyId: place.company_id,
    kind: 'upload',
    actor: actor.contactId,
    documents: [{ documentId, clientId: place.client_id, name, size: blob.size, sha256: blob.sha256 }],
  });
  await audit({
    companyId: place.company_id,
    actor: actor.contactId,
    action: 'document.upload',
    target: documentId,
    clientId: place.client_id,
    details: { sha256: blob.sha256, size: blob.size, ...receipt },
  });
  return documentById(actor, documentId);
}

async function nameConflict(place: ContainerRow, name: string): Promise<PortalError> {
  return new PortalError('NAME_CONFLICT', { name, suggestion: await nextFreeName(place, name) });
}

async function presentDocuments(actor: Actor, rows: readonly DocumentRow[]): Promise<Document[]> {
  const standing = await itemPermissionsOf(actor, rows);
  const noted = await metadataOf(rows.flatMap((row) => (row.has_metadata ? [row.document_id] : [])));
  return rows.map((row) => presentDocument(actor, row, standing(row), noted.get(row.document_id) ?? {}));
}

function presentDocument(
  actor: Actor,
  row: DocumentRow,
  standing: ItemPermissions,
  noted: Record<string, string>,
): Document {
  const permissions = permissionsOn(actor, row.created_by, { of: 'document', ...standing });
  return {
    id: row.document_id,
    name: row.name,
    type: 'Document',
    documentType: extensionOf(row.name).slice(1),
    mimeType: row.mime_type,
    originalItemSize: row.size,
    sha256: row.sha256,
    isViewable: isViewable(row.name),
    parent: {
      id: row.container_id,
      containerType: CONTAINER_TYPES[row.container_type],
      name: row.container_name,
      productType: row.container_product_type,
    },
    isReadByClientUser: Boolean(row.is_read),
    commentsCount: row.comments_count,
    customItemMetaData: noted,
    customFields: { clientId: row.client_id, ...noted },
    permissions,
    isLocked: standing.isLocked,
    ...(row.scan !== null && { scan: row.scan }),
    ...(permissions.delete && {
      deleteEndPoint: documentAddress({
        id: row.document_id,
        parent: { id: row.container_id, containerType: CONTAINER_TYPES[row.container_type] },
      }),
    }),
    createdBy: row.created_by_name,
    createdDate: new Date(row.created_at).toISOString(),
    modifiedDate: new Date(row.modified_at).toISOString(),
  };
}

const presentBytes = (row: DocumentRow): DocumentBytes => ({
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
