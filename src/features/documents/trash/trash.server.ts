import { sql } from 'kysely';
import { assertActsFor, isOfOwnClient } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { releaseBlobs } from '#platform/storage/blobs.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { db, inTransaction, isUniqueViolation } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { issueReceipts } from '#features/base/receipts/issuing.server.ts';
import { defaultFolder } from '#features/documents/folders/folders.server.ts';
import { nameKey } from '#features/documents/folders/names.server.ts';
import { permissionsOn } from '#features/documents/folders/permissions.server.ts';
import { CONTAINER_TYPES, type ContainerType } from '#features/documents/folders/folders.ts';
import { nextFreeName } from '#features/documents/documents/free-names.server.ts';
import { removeDetailsOf } from '#features/documents/documents/details.server.ts';
import {
  documentRestored,
  documentsDeleted,
  documentsPurged,
} from '#features/documents/documents/events.server.ts';
import {
  lockedContainers,
  itemPermissionsIn,
  itemPermissionsOf,
  type ItemPermissions,
} from '#features/documents/folders/roles.server.ts';
import { containersOf, type ContainerRow } from '#features/documents/folders/scope.server.ts';
import { documentsNamed, type DocumentRow } from '#features/documents/documents/scope.server.ts';
import { isForReader } from '#features/documents/folders/audiences.server.ts';
import { isWithFirm } from '#features/documents/documents/unsubmitted.server.ts';
import { heldClients } from './legal-holds.server.ts';
import type {
  BatchDelete,
  Deleted,
  PlacedDocument,
  Purged,
  Restored,
  TrashedDocument,
  TrashPage,
} from './trash.ts';

/*
 * The trash: a deleted document keeps its row and its bytes for TRASH_DAYS, visible here only. Then, or when
 * somebody removes it permanently, its bytes and its name are removed; the row stays, so that its links stay
 * ended. A document whose folder was locked meanwhile can be restored, since adding there is still allowed,
 * but it is not removed, by nobody and by no sweep.
 */

const PAGE = 100;
export const lifetime = (): number => config.trashDays * DAY;
export const restorableUntil = (deletedAt: number): string => new Date(deletedAt + lifetime()).toISOString();

/**
 * Returns why the actor may not delete a document: it is locked, or it is neither theirs nor are they an
 * Owner of its container.
 */
function deleteDenialReason(
  actor: Actor,
  createdBy: string,
  itemPermissions: ItemPermissions,
): 'LOCKED' | 'FORBIDDEN' | undefined {
  const mayDelete = (isLocked: boolean) =>
    permissionsOn(actor, createdBy, { of: 'document', ...itemPermissions, isLocked }).delete;
  if (mayDelete(itemPermissions.isLocked)) return undefined;
  return mayDelete(false) ? 'LOCKED' : 'FORBIDDEN';
}

/**
 * Classifies the documents with these ids that the actor sees, in their order: those that they may delete,
 * those that are locked, and the others, which are called staff uploads.
 */
export async function chosenToDelete(
  actor: Actor,
  ids: readonly string[],
): Promise<{ docs: Chosen[]; locked: Chosen[]; staffUploads: Chosen[] }> {
  const found = await documentsNamed(actor, ids);
  const asChosen = (row: DocumentRow): Chosen => ({
    name: row.name,
    Id: row.document_id,
    ContainerId: row.container_id,
    ContainerType: CONTAINER_TYPES[row.container_type],
  });
  const itemPermissions = await itemPermissionsOf(actor, found);
  const {
    DELETABLE: docs = [],
    LOCKED: locked = [],
    FORBIDDEN: staffUploads = [],
  } = Object.groupBy(
    found,
    (row) => deleteDenialReason(actor, row.created_by, itemPermissions(row)) ?? 'DELETABLE',
  );
  return { docs: docs.map(asChosen), locked: locked.map(asChosen), staffUploads: staffUploads.map(asChosen) };
}

type Chosen = PlacedDocument & { name: string };

/**
 * Moves a document to the trash. NOT_FOUND if the actor does not see it in this container, LOCKED if it is
 * locked, FORBIDDEN if they are neither its uploader nor an Owner there (spec 1 sections 5 and 6).
 */
export async function trashDocument(
  actor: Actor,
  place: { containerType: ContainerType; containerId: string },
  documentId: string,
): Promise<TrashedDocument> {
  const [outcome] = await trashDocuments(actor, {
    docs: [{ Id: documentId, ContainerId: place.containerId, ContainerType: place.containerType }],
    staffUploads: [],
  });
  if (outcome?.result === 'FORBIDDEN' || outcome?.result === 'LOCKED') throw new PortalError(outcome.result);
  if (outcome?.result !== 'DELETED') throw notFound();
  return { id: documentId, restorableUntil: restorableUntil(now()) };
}

/**
 * Moves several documents to the trash, all possible ones in one transaction, and returns the result for
 * each, in their order: a document of somebody else is treated as unknown.
 */
export async function trashDocuments(actor: Actor, { docs, staffUploads }: BatchDelete): Promise<Deleted[]> {
  return inTransaction(async () => {
    const seen = await inTheirPlaces(actor, [...docs, ...staffUploads]);
    const itemPermissions = await itemPermissionsOf(actor, [...seen.values()]);
    const stays = new Map(
      [...seen].map(([id, row]) => [id, deleteDenialReason(actor, row.created_by, itemPermissions(row))]),
    );
    const mayGo = docs.flatMap(({ Id }) => (stays.get(Id) ? [] : (seen.get(Id) ?? [])));
    const gone = await markDeleted(actor, mayGo);
    const answered = new Set<string>();
    return [...docs, ...staffUploads].map(({ Id: id }): Deleted => {
      const row = seen.get(id);
      const isFirst = !answered.has(id);
      answered.add(id);
      if (!row) return { id, result: 'NOT_FOUND' };
      if (gone.has(id) && isFirst) return { id, name: row.name, result: 'DELETED' };
      return mayGo.includes(row)
        ? { id, result: 'NOT_FOUND' }
        : { id, name: row.name, result: stays.get(id) ?? 'FORBIDDEN' };
    });
  });
}

/** Those of the documents that the actor sees in the named containers, by id. */
async function inTheirPlaces(
  actor: Actor,
  named: readonly PlacedDocument[],
): Promise<Map<string, DocumentRow>> {
  const rows = await documentsNamed(
    actor,
    named.map(({ Id }) => Id),
  );
  const byId = new Map(rows.map((row) => [row.document_id, row]));
  const isThere = ({ Id, ContainerId, ContainerType }: PlacedDocument): boolean => {
    const row = byId.get(Id);
    return row?.container_id === ContainerId && CONTAINER_TYPES[row.container_type] === ContainerType;
  };
  return new Map(
    named.filter(isThere).flatMap(({ Id }) => {
      const row = byId.get(Id);
      return row ? [[Id, row] as const] : [];
    }),
  );
}

/**
 * Marks these documents as deleted, with a folder if one is named, and returns the ids of those that were not before.
 * Of two concurrent deletions of a document, one takes effect, and gets the receipt. By the portal itself if the
 * contact id is `portal`.
 */
export async function markDeleted(
  actor: Pick<Actor, 'companyId' | 'contactId'>,
  rows: readonly Pick<DocumentRow, 'document_id'>[],
  folderId: string | null = null,
): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const gone = await db()
    .updateTable('documents')
    .set({
      deleted_at: now(),
      deleted_by: actor.contactId === 'portal' ? null : actor.contactId,
      deleted_with: folderId,
    })
    .where(
      'document_id',
      'in',
      rows.map((row) => row.document_id),
    )
    .where('deleted_at', 'is', null)
    .returning(['document_id', 'company_id', 'client_id', 'name', 'size', 'sha256'])
    .execute();
  const documentIds = gone.map((row) => row.document_id);
  await documentsDeleted.announce({ documentIds });
  const receipt = await issueReceipts({
    companyId: actor.companyId,
    kind: 'delete',
    actor: actor.contactId,
    documents: gone.map((row) => ({
      documentId: row.document_id,
      clientId: row.client_id,
      name: row.name,
      size: row.size,
      sha256: row.sha256,
    })),
  });
  for (const row of gone)
    await audit({
      companyId: row.company_id,
      actor: actor.contactId,
      action: 'document.trash',
      target: row.document_id,
      clientId: row.client_id,
      details: { ...receipt },
    });
  return new Set(gone.map((row) => row.document_id));
}

/**
 * The documents that can still be restored: all for staff, for contacts those that they uploaded or, as an
 * Owner, deleted themselves.
 */
const trashOf = (actor: Actor) =>
  db()
    .selectFrom('documents')
    .where(isOfOwnClient(actor, 'documents.client_id'))
    .where('documents.deleted_at', '>', now() - lifetime())
    .where('documents.purged_at', 'is', null)
    .$if(actor.staff, (documents) => documents.where(isWithFirm))
    .$if(!actor.staff, (documents) => documents.where(isForReader(actor)))
    .$if(!actor.staff, (documents) =>
      documents.where((e) =>
        e.or([
          e('documents.created_by', '=', actor.contactId),
          e('documents.deleted_by', '=', actor.contactId),
        ]),
      ),
    );

const withPlace = (actor: Actor) =>
  trashOf(actor)
    .leftJoin('containers', (join) =>
      join
        .onRef('containers.container_id', '=', 'documents.container_id')
        .onRef('containers.client_id', '=', 'documents.client_id'),
    )
    .leftJoin('contacts', 'contacts.contact_id', 'documents.deleted_by')
    .select([
      'documents.document_id',
      'documents.name',
      'documents.size',
      'documents.container_id',
      'documents.client_id',
      'documents.company_id',
      'documents.created_by',
      'documents.deleted_by',
      'documents.uploaded_by_staff',
      'documents.answer_state',
    ])
    .select((e) => [
      e.fn.coalesce('documents.deleted_at', e.lit(0)).as('deleted_at'),
      'containers.container_type',
      'containers.name as container_name',
      'containers.product_type',
      'contacts.full_name as deleted_by_name',
    ]);

type TrashRow = Awaited<ReturnType<ReturnType<typeof withPlace>['execute']>>[number];

/**
 * Documents deleted by staff are restored by staff only: the contact may not have been meant to have them.
 */
const mayDecideOn = (actor: Actor, row: Pick<TrashRow, 'deleted_by'>): boolean =>
  actor.staff || row.deleted_by === actor.contactId;

/**
 * Returns why the actor may not remove a document permanently: it is not theirs, they may not delete in its
 * container, its folder is locked, or its client is under a legal hold.
 */
async function purgeDenialReason(
  actor: Actor,
  rows: readonly TrashRow[],
): Promise<(row: TrashRow) => 'LOCKED' | 'FORBIDDEN' | undefined> {
  const itemPermissions = await itemPermissionsIn(actor, {
    containerIds: rows.map((row) => row.container_id),
  });
  const held = await heldClients(rows.map((row) => row.client_id));
  return (row) => {
    if (!mayDecideOn(actor, row)) return 'FORBIDDEN';
    if (held.has(row.client_id)) return 'LOCKED';
    return deleteDenialReason(actor, row.created_by, itemPermissions(row.container_id));
  };
}

/**
 * Lists one page of a client's deleted documents, the last deleted first, 100 a page; not those that were deleted with
 * their folder (folder-trash.server.ts).
 */
export async function listTrash(actor: Actor, clientId: string, from: number): Promise<TrashPage> {
  await assertActsFor(actor, clientId);
  const { total } = await trashOf(actor)
    .where('documents.client_id', '=', clientId)
    .where('documents.deleted_with', 'is', null)
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await withPlace(actor)
    .where('documents.client_id', '=', clientId)
    .where('documents.deleted_with', 'is', null)
    .orderBy('documents.deleted_at', 'desc')
    .orderBy('documents.document_id', 'desc')
    .limit(PAGE)
    .offset(from)
    .execute();
  const denialReason = await purgeDenialReason(actor, rows);
  return {
    items: rows.map((row) => ({
      id: row.document_id,
      name: row.name,
      originalItemSize: row.size,
      parent:
        row.container_type === null
          ? null
          : {
              id: row.container_id,
              containerType: CONTAINER_TYPES[row.container_type],
              name: row.container_name ?? '',
              productType: row.product_type,
            },
      deletedBy: row.deleted_by_name ?? '',
      deletedDate: new Date(Number(row.deleted_at)).toISOString(),
      restorableUntil: restorableUntil(Number(row.deleted_at)),
      permissions: { restore: mayDecideOn(actor, row), purge: denialReason(row) === undefined },
    })),
    pageIndex: Math.floor(from / PAGE),
    totalPages: Math.max(1, Math.ceil(Number(total) / PAGE)),
    total: Number(total),
  };
}

/** Loads the deleted documents with these ids that the actor may restore or remove; others are omitted. */
export async function trashedByIds(
  actor: Actor,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  const rows = await trashNamed(actor, ids);
  return [...new Set(ids)]
    .flatMap((id) => rows.get(id) ?? [])
    .filter((row) => mayDecideOn(actor, row))
    .map((row) => ({ id: row.document_id, name: row.name }));
}

/** The deleted documents among these, by id. */
async function trashNamed(actor: Actor, ids: readonly string[]): Promise<Map<string, TrashRow>> {
  if (ids.length === 0) return new Map();
  const rows = await withPlace(actor).where('documents.document_id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.document_id, row]));
}

/**
 * Restores documents to their containers, each separately, and returns the result for each. If a name was
 * taken meanwhile, the document gets the next free one; if the folder is gone, it is restored to the upload
 * folder.
 */
export async function restoreDocuments(actor: Actor, ids: readonly string[]): Promise<Restored[]> {
  const outcomes: Restored[] = [];
  for (const id of ids) outcomes.push(await restoreDocument(actor, id));
  return outcomes;
}

const MAX_TRIES = 100;

async function restoreDocument(actor: Actor, id: string): Promise<Restored> {
  const row = await withPlace(actor).where('documents.document_id', '=', id).executeTakeFirst();
  if (!row) return { id, result: 'NOT_FOUND' };
  if (!mayDecideOn(actor, row)) return { id, name: row.name, result: 'FORBIDDEN' };
  const place = await placeFor(actor, row);
  // On PostgreSQL two may find the same name free at the same moment: the second one then searches again.
  for (let tries = 0; ; tries += 1) {
    try {
      return await inTransaction(() => putBack(actor, row, place));
    } catch (error) {
      if (tries === MAX_TRIES || !isUniqueViolation(error)) throw error;
    }
  }
}

async function placeFor(actor: Actor, row: TrashRow): Promise<ContainerRow> {
  const find = (containerId: string) =>
    containersOf(actor)
      .where('container_id', '=', containerId)
      .where('client_id', '=', row.client_id)
      .executeTakeFirst();
  const place =
    (await find(row.container_id)) ?? (await find((await defaultFolder(actor, row.client_id)).id));
  if (!place) throw notFound();
  return place;
}

async function putBack(actor: Actor, row: TrashRow, place: ContainerRow): Promise<Restored> {
  const id = row.document_id;
  const name = await nextFreeName(place, row.name);
  const { numUpdatedRows } = await db()
    .updateTable('documents')
    .set({
      deleted_at: null,
      deleted_by: null,
      deleted_with: null,
      container_id: place.container_id,
      name,
      name_key: nameKey(name),
    })
    .where('document_id', '=', id)
    .where('deleted_at', 'is not', null)
    .where('purged_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return { id, result: 'NOT_FOUND' }; // somebody else was faster
  await audit({
    companyId: row.company_id,
    actor: actor.contactId,
    action: 'document.restore',
    target: id,
    clientId: row.client_id,
  });
  if (row.answer_state !== 'open')
    await documentRestored.announce({
      documentId: id,
      companyId: row.company_id,
      clientId: row.client_id,
      containerId: place.container_id,
      name,
      byStaff: actor.staff || row.uploaded_by_staff === 1,
    });
  const parent = {
    id: place.container_id,
    containerType: CONTAINER_TYPES[place.container_type],
    name: place.name,
  };
  return {
    id,
    name,
    ...(name !== row.name && { formerName: row.name }),
    parent,
    moved: place.container_id !== row.container_id,
    result: 'RESTORED',
  };
}

/**
 * Removes deleted documents permanently, and returns the result for each: contacts those that they deleted
 * themselves, staff all; nobody locked ones.
 */
export async function purgeDocuments(actor: Actor, ids: readonly string[]): Promise<Purged[]> {
  return inTransaction(async () => {
    const rows = await trashNamed(actor, ids);
    const denialReason = await purgeDenialReason(actor, [...rows.values()]);
    const gone = await removeForGood(
      [...rows.values()].filter((row) => denialReason(row) === undefined).map((row) => row.document_id),
      actor.contactId,
    );
    return ids.map((id): Purged => {
      const row = rows.get(id);
      if (!row) return { id, result: 'NOT_FOUND' };
      if (gone.delete(id)) return { id, name: row.name, result: 'PURGED' };
      const result = denialReason(row);
      return result ? { id, name: row.name, result } : { id, result: 'NOT_FOUND' };
    });
  });
}

const AT_ONCE = 100;

/**
 * Permanently removes unlocked documents, of clients without a legal hold, that have been in the trash for
 * TRASH_DAYS, and returns their number. Safe to run concurrently.
 */
export async function purgeOldTrash(): Promise<number> {
  for (let removed = 0; ;) {
    const due = await db()
      .selectFrom('documents')
      .select('document_id')
      .where('deleted_at', '<=', now() - lifetime())
      .where('purged_at', 'is', null)
      .where(sql<boolean>`container_id not in (${lockedContainers})`)
      .where((e) => e('client_id', 'not in', e.selectFrom('legal_holds').select('legal_holds.client_id')))
      .orderBy('deleted_at')
      .limit(AT_ONCE)
      .execute();
    if (due.length === 0) return removed;
    removed += (
      await inTransaction(() =>
        removeForGood(
          due.map((row) => row.document_id),
          'portal',
        ),
      )
    ).size;
  }
}

/**
 * References to a document stay (links, the audit log); its content, its name and what features store about it are
 * removed.
 */
async function removeForGood(ids: readonly string[], by: string): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const gone = await db()
    .updateTable('documents')
    .set({ purged_at: now(), name: '', name_key: '', mime_type: '', size: 0, sha256: '', crc32: 0 })
    .where('document_id', 'in', ids)
    .where('deleted_at', 'is not', null)
    .where('purged_at', 'is', null)
    .returning(['document_id', 'company_id', 'client_id', 'blob_key'])
    .execute();
  await releaseBlobs(gone.map((row) => row.blob_key));
  const removed = gone.map((row) => row.document_id);
  if (removed.length > 0) {
    await removeDetailsOf(removed);
    await documentsPurged.announce({ documentIds: removed });
  }
  for (const row of gone)
    await audit({
      companyId: row.company_id,
      actor: by,
      action: 'document.purge',
      target: row.document_id,
      clientId: row.client_id,
    });
  return new Set(removed);
}
