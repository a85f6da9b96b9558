import { containerOf } from '#features/documents/folders/folders.server.ts';
import { CONTAINER_TYPES, type ContainerType } from '#features/documents/folders/folders.ts';
import { permissionsOn } from '#features/documents/folders/permissions.server.ts';
import {
  itemPermissionsOf,
  type ContainerPermissions,
  type ItemPermissions,
} from '#features/documents/folders/roles.server.ts';
import { extensionOf } from '#features/documents/folders/rules.ts';
import { containersOf } from '#features/documents/folders/scope.server.ts';
import { listContainers } from '#features/documents/folders/tree.server.ts';
import { loadOf, withDescendants } from '#features/documents/folders/tree.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { assertActsFor, isOfOwnClient } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { documentAddress } from './addresses.ts';
import type { Document, DocumentPage, DocumentQuery } from './documents.ts';
import { isViewable } from './file-types.server.ts';
import { cursorOf, neighborsIn, pageOfDocuments } from './internal/list.server.ts';
import { metadataOf } from './metadata.server.ts';
import { documentsNamed, documentsOf, type ListedDocument } from './scope.server.ts';
import { senderOf } from './senders.server.ts';

/**
 * Lists one page of a client's documents, all of them or those of some containers (spec 1 section 7, GET
 * containers/documents); `below` includes descendants. FORBIDDEN for a contact who filters by read status
 * without the control ShowClientDocsReadToggle.
 */
export async function listDocuments(
  actor: Actor,
  clientId: string,
  query: DocumentQuery,
  {
    below = false,
    containerPermissions,
  }: { below?: boolean; containerPermissions?: ContainerPermissions | undefined } = {},
): Promise<DocumentPage> {
  await assertActsFor(actor, clientId);
  const parentIds = await containersNamed(actor, clientId, query, below);
  return pageIn(actor, clientId, { parentIds, query, containerPermissions });
}

/** The documents before and after one in such a list, and its position there. */
export interface Neighbors {
  previous?: { id: string; name: string };
  next?: { id: string; name: string };
  position?: { number: number; total: number };
}

/**
 * Finds the neighbors of a document in the list that {@link listDocuments} pages through: nothing for one that is
 * not in it. The position is left out in a list of 1,000 or more.
 */
export async function neighborsOf(
  actor: Actor,
  clientId: string,
  documentId: string,
  query: DocumentQuery,
  { below = false } = {},
): Promise<Neighbors> {
  await assertActsFor(actor, clientId);
  const parentIds = await containersNamed(actor, clientId, query, below);
  const { previous, next, position } =
    (await neighborsIn(actor, clientId, parentIds, query, documentId)) ?? {};
  return {
    ...(previous && { previous: { id: previous.document_id, name: previous.name } }),
    ...(next && { next: { id: next.document_id, name: next.name } }),
    ...(position && { position }),
  };
}

/** The containers of a list, with their descendants if `below`; undefined for all of them. */
async function containersNamed(
  actor: Actor,
  clientId: string,
  { parentIds = '' }: DocumentQuery,
  below: boolean,
): Promise<readonly string[] | undefined> {
  const named = parentIds.split(',').filter(Boolean).slice(0, 200);
  if (named.length === 0) return undefined;
  return below ? withDescendants(await listContainers(actor, clientId), named) : named;
}

/** Lists one page of the documents in one container; NOT_FOUND if the actor may not see it. */
export async function listDocumentsIn(
  actor: Actor,
  type: ContainerType,
  containerId: string,
  query: DocumentQuery,
): Promise<DocumentPage> {
  const clientId = type === 'Client' ? containerId : (await containerOf(actor, type, containerId)).client_id;
  await assertActsFor(actor, clientId);
  return pageIn(actor, clientId, { parentIds: [containerId], query });
}

/**
 * The client of a list: named directly, by the custom fields, or by the first container that the actor may
 * see.
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

/** The years in which documents were added to a client, the latest first, by the calendar of the firm. */
export async function yearsOf(actor: Actor, clientId: string): Promise<number[]> {
  const { timeZone } = await firmOf(actor.companyId);
  const end = (direction: 'asc' | 'desc') =>
    db()
      .selectFrom('documents')
      .select('created_at')
      .where(isOfOwnClient(actor, 'documents.client_id'))
      .where('client_id', '=', clientId)
      .where('deleted_at', 'is', null)
      .orderBy('created_at', direction)
      .limit(1);
  const row = await db()
    .selectNoFrom([end('asc').as('first'), end('desc').as('last')])
    .executeTakeFirst();
  if (row?.first == null || row.last === null) return [];
  const yearOf = (instant: number): number => Number(dayOf(instant, timeZone).slice(0, 4));
  const [first, last] = [yearOf(row.first), yearOf(row.last)];
  return Array.from({ length: last - first + 1 }, (_, i) => last - i);
}

async function pageIn(
  actor: Actor,
  clientId: string,
  {
    parentIds,
    query,
    containerPermissions,
  }: {
    parentIds: readonly string[] | undefined;
    query: DocumentQuery;
    containerPermissions?: ContainerPermissions | undefined;
  },
): Promise<DocumentPage> {
  if (query.readByClientUser !== undefined && !actor.staff && !loadOf(actor.access).filtersReading)
    throw new PortalError('FORBIDDEN');
  const { rows, total } = await pageOfDocuments(actor, clientId, parentIds, query);
  const last = rows.length === query.pageSize ? rows.at(-1) : undefined;
  return {
    items: await presentDocuments(actor, rows, containerPermissions),
    pageIndex: Math.floor(query.from / query.pageSize),
    totalPages: Math.max(1, Math.ceil(total / query.pageSize)),
    total,
    next: last ? cursorOf(last, query.orderBy) : null,
  };
}

/** Loads the documents with these ids, in their order; NOT_FOUND unless the actor may see all of them. */
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

/** Loads one document; NOT_FOUND if the actor may not see it. */
export async function documentById(actor: Actor, documentId: string): Promise<Document> {
  const [document] = await documentsByIds(actor, [documentId]);
  if (!document) throw notFound();
  return document;
}

/** Finds the client of a document; NOT_FOUND if the actor may not see it. */
export async function clientOfDocument(actor: Actor, documentId: string): Promise<string> {
  const row = await documentsOf(actor).where('documents.document_id', '=', documentId).executeTakeFirst();
  if (!row) throw notFound();
  return row.client_id;
}

/** Finds the clients of these documents without an access check: for the audit log. */
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

async function presentDocuments(
  actor: Actor,
  rows: readonly ListedDocument[],
  containerPermissions?: ContainerPermissions,
): Promise<Document[]> {
  const itemPermissions = await itemPermissionsOf(actor, rows, containerPermissions);
  const noted = await metadataOf(rows.flatMap((row) => (row.has_metadata ? [row.document_id] : [])));
  return rows.map((row) =>
    presentDocument(actor, row, itemPermissions(row), noted.get(row.document_id) ?? {}),
  );
}

function presentDocument(
  actor: Actor,
  row: ListedDocument,
  itemPermissions: ItemPermissions,
  noted: Record<string, string>,
): Document {
  const permissions = permissionsOn(actor, row.created_by, { of: 'document', ...itemPermissions });
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
    isLocked: itemPermissions.isLocked,
    ...(row.scan !== null && { scan: row.scan }),
    ...(row.is_damaged ? { isDamaged: true as const } : {}),
    ...(row.answer_state === 'open' && { isNotSubmitted: true as const }),
    ...(permissions.delete && {
      deleteEndPoint: documentAddress({
        id: row.document_id,
        parent: { id: row.container_id, containerType: CONTAINER_TYPES[row.container_type] },
      }),
    }),
    ...senderOf(row),
    addedBy: row.uploaded_by_staff ? 'firm' : 'client',
    isOwn: row.created_by === actor.contactId && row.sent_by === null,
    createdDate: new Date(row.created_at).toISOString(),
    modifiedDate: new Date(row.modified_at).toISOString(),
  };
}
