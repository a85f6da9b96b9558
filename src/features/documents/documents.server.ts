import type { Readable } from 'node:stream';
import { assertActsFor, clientIdsOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { putBlob, readBlob, removeBlob } from '#platform/blobs.server.ts';
import { now } from '#platform/clock.server.ts';
import { newId } from '#platform/crypto.server.ts';
import { db, fold, inTransaction, isUniqueViolation } from '#platform/database.server.ts';
import { notFound, PortalError } from '#platform/errors.server.ts';
import type { Container, ContainerType, Document, DocumentPage, DocumentQuery, NewFolder } from './documents.ts';
import { extensionOf, freeName, isExecutable, MOST_BYTES, nameIsAcceptable } from './rules.ts';
import { ALLOWED_TYPES, assertContentAgrees } from './signatures.server.ts';
import { containersOf, countsOf, documentsOf, namesTaken, pageOfDocuments, type ContainerRow, type DocumentRow } from './store.server.ts';

export { constraints } from './signatures.server.ts';

const CONTACT_FOLDER = 'ClientContactFolder';
const NO_YEAR = 1900;

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

/** A client's containers with their counts, parents before children, each level by name. */
export async function listContainers(actor: Actor, clientId: string): Promise<Container[]> {
  await assertActsFor(actor, clientId);
  const rows = await containersOf(actor).where('client_id', '=', clientId).orderBy('name_key').execute();
  const counts = new Map((await countsOf(clientId)).map((row) => [row.container_id, row.count]));
  const children = Map.groupBy(rows, (row) => row.parent_id);
  const walk = (parentId: string | null): Container[] =>
    (children.get(parentId) ?? []).flatMap((row) => [presentContainer(actor, row, counts.get(row.container_id) ?? 0), ...walk(row.container_id)]);
  return walk(null);
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

/** A document in a container of that type, and its bytes. Opening it to read, not only to look, marks it read for a contact (product.md, Documents). */
export async function openDocument(actor: Actor, place: { containerType: ContainerType; containerId: string }, documentId: string, reads: boolean): Promise<DocumentBytes> {
  const row = await documentsOf(actor).where('documents.document_id', '=', documentId).where('documents.container_id', '=', place.containerId).executeTakeFirst();
  if (!row || CONTAINER_TYPES[row.container_type] !== place.containerType) throw notFound();
  if (reads && !actor.staff) await markRead(actor, documentId);
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
    return await inTransaction(async () => {
      const finalName = input.onConflict === 'rename' ? await nextFreeName(place, name) : name;
      return await insertDocument(actor, place, finalName, mime, blob);
    });
  } catch (error) {
    await removeBlob(blob.key);
    if (isUniqueViolation(error)) throw await nameConflict(place, name);
    throw error;
  }
}

function typeFor(name: string): string {
  if (!nameIsAcceptable(name)) throw new PortalError('BAD_NAME', { name });
  const type = ALLOWED_TYPES[extensionOf(name)];
  if (!type || isExecutable(name)) throw new PortalError('TYPE_NOT_ALLOWED', { name });
  return type.mime;
}

async function insertDocument(actor: Actor, place: ContainerRow, name: string, mime: string, blob: { key: string; size: number; sha256: string; crc32: number }): Promise<Document> {
  const documentId = newId('doc');
  const instant = now();
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
  const [added] = await documentsByIds(actor, [documentId]);
  if (!added) throw notFound();
  return added;
}

async function nameConflict(place: ContainerRow, name: string): Promise<PortalError> {
  return new PortalError('NAME_CONFLICT', { name, suggestion: await nextFreeName(place, name) });
}

async function nextFreeName(place: ContainerRow, name: string): Promise<string> {
  const rows = await db().selectFrom('documents').select('name_key').where('container_id', '=', place.container_id).where('deleted_at', 'is', null).where('name_key', 'like', `${nameStart(name)}%`).execute();
  const taken = new Set(rows.map((row) => row.name_key));
  return freeName(name, (candidate) => taken.has(nameKey(candidate)));
}

const nameKey = (name: string): string => fold(name.normalize('NFC'));

/** A beginning that a name and its numbered forms share, even those of a long name that were shortened; safe for LIKE. */
const nameStart = (name: string): string => [...(/^[^(.%_\\]*/.exec(nameKey(name))?.[0] ?? '')].slice(0, 40).join('');

/** Makes a folder; FORBIDDEN without the right to add to the parent, NAME_CONFLICT when the name is taken there (spec 1 section 5). */
export async function createFolder(actor: Actor, input: NewFolder): Promise<Container> {
  if (!nameIsAcceptable(input.name)) throw new PortalError('BAD_NAME', { name: input.name });
  const parent = await containerOf(actor, input.parentType, input.parentId);
  if (!permissionsOn(actor).addContents) throw new PortalError('FORBIDDEN');
  return addContainer(actor, { companyId: parent.company_id, clientId: parent.client_id, type: 'folder', parentId: parent.container_id, name: input.name });
}

async function addContainer(actor: Actor, input: NewContainer): Promise<Container> {
  try {
    return presentContainer(actor, await insertContainer(actor, input), 0);
  } catch (error) {
    if (isUniqueViolation(error)) throw new PortalError('NAME_CONFLICT', { name: input.name });
    throw error;
  }
}

/** Makes a project of a client: what the firm files a year's or a service's documents under. */
export async function createProject(actor: Actor, input: { clientId: string; name: string; productType?: string; processingYear?: number }): Promise<Container> {
  const home = await clientContainer(actor, input.clientId);
  return addContainer(actor, {
    companyId: home.company_id,
    clientId: input.clientId,
    type: 'project',
    parentId: home.container_id,
    name: input.name,
    ...(input.productType && { productType: input.productType }),
    ...(input.processingYear && { processingYear: input.processingYear }),
  });
}

/** The folder that a client's uploads go to when no other is chosen; made on first use (product.md, Documents). */
export async function defaultFolder(actor: Actor, clientId: string, name: string): Promise<Container> {
  const home = await clientContainer(actor, clientId);
  const find = () => containersOf(actor).where('client_id', '=', clientId).where('product_type', '=', CONTACT_FOLDER).executeTakeFirst();
  const found = await find();
  if (found) return presentContainer(actor, found, 0);
  const siblings = await containersOf(actor).where('parent_id', '=', home.container_id).execute();
  const taken = new Set(siblings.map((row) => row.name_key));
  const free = freeName(name, (candidate) => taken.has(nameKey(candidate)));
  try {
    const row = await insertContainer(actor, { companyId: home.company_id, clientId, type: 'project', parentId: home.container_id, name: free, productType: CONTACT_FOLDER });
    return presentContainer(actor, row, 0);
  } catch (error) {
    const made = isUniqueViolation(error) ? await find() : undefined; // somebody made it at the same moment
    if (!made) throw error;
    return presentContainer(actor, made, 0);
  }
}

/** The container that stands for the client itself; it has the client's id. */
async function clientContainer(actor: Actor, clientId: string): Promise<ContainerRow> {
  const find = () => containersOf(actor).where('container_id', '=', clientId).executeTakeFirst();
  const found = await find();
  if (found) return found;
  const client = await db().selectFrom('clients').select(['name', 'company_id']).where('client_id', '=', clientId).where('client_id', 'in', clientIdsOf(actor)).executeTakeFirst();
  if (!client) throw notFound();
  try {
    return await insertContainer(actor, { id: clientId, companyId: client.company_id, clientId, type: 'client', parentId: null, name: client.name });
  } catch (error) {
    const made = isUniqueViolation(error) ? await find() : undefined;
    if (!made) throw error;
    return made;
  }
}

interface NewContainer {
  id?: string;
  companyId: string;
  clientId: string;
  type: ContainerRow['container_type'];
  parentId: string | null;
  name: string;
  productType?: string;
  processingYear?: number;
}

function insertContainer(actor: Actor, input: NewContainer): Promise<ContainerRow> {
  const instant = now();
  return db()
    .insertInto('containers')
    .values({
      container_id: input.id ?? newId(input.type),
      company_id: input.companyId,
      client_id: input.clientId,
      container_type: input.type,
      parent_id: input.parentId,
      name: input.name.normalize('NFC'),
      name_key: nameKey(input.name),
      product_type: input.productType ?? null,
      processing_year: input.processingYear ?? null,
      created_by: actor.contactId,
      created_at: instant,
      modified_at: instant,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function containerOf(actor: Actor, type: ContainerType, containerId: string): Promise<ContainerRow> {
  if (type === 'Client') return clientContainer(actor, containerId);
  const row = await containersOf(actor).where('container_id', '=', containerId).where('container_type', '=', type === 'Project' ? 'project' : 'folder').executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** True when a blob belongs to a document; the sweeper asks before it removes one. */
export async function isDocumentBlob(key: string): Promise<boolean> {
  return (await db().selectFrom('documents').select('blob_key').where('blob_key', '=', key).executeTakeFirst()) !== undefined;
}

const CONTAINER_TYPES = { client: 'Client', project: 'Project', folder: 'Folder' } as const;

/** Within the clients that one may act for: everyone reads and adds; staff may change all, contacts what they handed in. */
const permissionsOn = (actor: Actor, createdBy?: string) => {
  const own = actor.staff || createdBy === actor.contactId;
  return { addContents: true, read: true, update: own, delete: own };
};

function presentContainer(actor: Actor, row: ContainerRow, documentCount: number): Container {
  return {
    id: row.container_id,
    name: row.name,
    containerType: CONTAINER_TYPES[row.container_type],
    parentId: row.parent_id,
    clientId: row.client_id,
    documentCount,
    productType: row.product_type,
    processingYear: row.processing_year === NO_YEAR ? null : row.processing_year,
    permissions: permissionsOn(actor, row.created_by),
  };
}

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
