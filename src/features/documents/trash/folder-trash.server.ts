import { documentRestored } from '#features/documents/documents/events.server.ts';
import { folderDenialReason, subtreeOf } from '#features/documents/documents/folder-rights.server.ts';
import { containerById, containerOf, lockTree } from '#features/documents/folders/folders.server.ts';
import type { Container, ContainerType } from '#features/documents/folders/folders.ts';
import { nameKey } from '#features/documents/folders/names.server.ts';
import { permissionsIn } from '#features/documents/folders/permissions.server.ts';
import { freeName } from '#features/documents/folders/rules.ts';
import { containersOf } from '#features/documents/folders/scope.server.ts';
import { actorNow, assertActsFor, isOfOwnClient } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import type { DeletedFolder, TrashedDocument } from './trash.ts';
import { lifetime, markDeleted, restorableUntil } from './trash.server.ts';

/*
 * A folder is deleted with everything in it, and is one thing in the trash: it is restored as it was. Its documents
 * are purged like all others; without them it comes back empty until its time is over.
 */

/**
 * Deletes a folder or, for staff, a project, with everything in it. FORBIDDEN and LOCKED also for the sake of something
 * in it that the actor may not delete.
 */
export async function trashFolder(
  caller: Actor,
  type: ContainerType,
  containerId: string,
): Promise<TrashedDocument> {
  return inTransaction(async () => {
    const actor = await actorNow(caller);
    await lockTree((await containerOf(actor, type, containerId)).client_id);
    const top = await containerOf(actor, type, containerId);
    const reason = await folderDenialReason(actor, top);
    if (reason) throw new PortalError(reason);
    const ids = (await subtreeOf(actor, top)).map((row) => row.container_id);
    for (const id of ids)
      await db()
        .updateTable('containers')
        .set({
          deleted_at: now(),
          deleted_by: actor.contactId,
          deleted_with: containerId,
          // its name is free again, and no name contains a slash
          name_key: `/${id}`,
        })
        .where('container_id', '=', id)
        .execute();
    const documents = await db()
      .selectFrom('documents')
      .select('document_id')
      .where('container_id', 'in', ids)
      .where('deleted_at', 'is', null)
      .execute();
    for (const some of inBatches(documents)) await markDeleted(actor, some, containerId);
    await audit({
      companyId: top.company_id,
      actor: actor.contactId,
      action: 'folder.trash',
      target: containerId,
      clientId: top.client_id,
      details: { documents: documents.length },
    });
    return { id: containerId, restorableUntil: restorableUntil(now()) };
  });
}

/** The deleted folders that can still be restored: all for staff, for contacts those that they deleted. */
const deletedFolders = (actor: Actor) =>
  db()
    .selectFrom('containers')
    .where(isOfOwnClient(actor, 'containers.client_id'))
    .where('containers.deleted_at', '>', now() - lifetime())
    .whereRef('containers.deleted_with', '=', 'containers.container_id')
    .$if(!actor.staff, (folders) => folders.where('containers.deleted_by', '=', actor.contactId));

/** Lists a client's deleted folders, the last deleted first; those that were deleted in them count as one with them. */
export async function listDeletedFolders(actor: Actor, clientId: string): Promise<DeletedFolder[]> {
  await assertActsFor(actor, clientId);
  const rows = await deletedFolders(actor)
    .where('containers.client_id', '=', clientId)
    .leftJoin('contacts', 'contacts.contact_id', 'containers.deleted_by')
    .select((e) => [
      'containers.container_id',
      'containers.name',
      e.fn.coalesce('containers.deleted_at', e.lit(0)).as('deleted_at'),
      'contacts.full_name',
      e
        .selectFrom('documents')
        .select((count) => count.fn.countAll<number>().as('documents'))
        .whereRef('documents.deleted_with', '=', 'containers.container_id')
        .where('documents.purged_at', 'is', null)
        .as('documents'),
    ])
    .orderBy('containers.deleted_at', 'desc')
    .orderBy('containers.container_id')
    .limit(MAX_LISTED)
    .execute();
  return rows.map((row) => ({
    id: row.container_id,
    name: row.name,
    documentCount: Number(row.documents),
    deletedBy: row.full_name ?? '',
    deletedDate: new Date(Number(row.deleted_at)).toISOString(),
    restorableUntil: restorableUntil(Number(row.deleted_at)),
  }));
}

const MAX_LISTED = 200;

/**
 * Restores a deleted folder with what was deleted with it. A taken name gets the next free one; if the folder around it
 * is gone, it comes back at the top of the client.
 */
export async function restoreFolder(caller: Actor, containerId: string): Promise<Container> {
  return inTransaction(async () => {
    const actor = await actorNow(caller);
    const find = () =>
      deletedFolders(actor)
        .selectAll('containers')
        .where('containers.container_id', '=', containerId)
        .executeTakeFirst();
    const found = await find();
    if (!found) throw notFound();
    await lockTree(found.client_id);
    const top = await find();
    if (!top) throw notFound(); // somebody else was faster
    const parent =
      (await containersOf(actor)
        .where('containers.container_id', '=', top.parent_id ?? '')
        .executeTakeFirst()) ?? (await containerOf(actor, 'Client', top.client_id));
    if (!(await permissionsIn(actor, parent)).addContents) throw new PortalError('FORBIDDEN');
    const siblings = await containersOf(actor).where('parent_id', '=', parent.container_id).execute();
    const taken = new Set(siblings.map((row) => row.name_key));
    const rows = await db()
      .selectFrom('containers')
      .select(['container_id', 'name'])
      .where('deleted_with', '=', containerId)
      .execute();
    for (const row of rows) {
      const isTop = row.container_id === containerId;
      const name = isTop ? freeName(row.name, (candidate) => taken.has(nameKey(candidate))) : row.name;
      await db()
        .updateTable('containers')
        .set({
          ...(isTop && { parent_id: parent.container_id }),
          name,
          name_key: nameKey(name),
          deleted_at: null,
          deleted_by: null,
          deleted_with: null,
        })
        .where('container_id', '=', row.container_id)
        .execute();
    }
    const documents = await db()
      .updateTable('documents')
      .set({ deleted_at: null, deleted_by: null, deleted_with: null })
      .where('deleted_with', '=', containerId)
      .where('deleted_at', 'is not', null)
      .where('purged_at', 'is', null)
      .returning(['document_id', 'container_id', 'name', 'uploaded_by_staff', 'answer_state'])
      .execute();
    for (const document of documents.filter(({ answer_state: state }) => state !== 'open'))
      await documentRestored.announce({
        documentId: document.document_id,
        companyId: top.company_id,
        clientId: top.client_id,
        containerId: document.container_id,
        name: document.name,
        byStaff: actor.staff || document.uploaded_by_staff === 1,
      });
    await audit({
      companyId: top.company_id,
      actor: actor.contactId,
      action: 'folder.restore',
      target: containerId,
      clientId: top.client_id,
    });
    return containerById(actor, containerId);
  });
}

/**
 * Removes the names of folders that have been in the trash for TRASH_DAYS, once all their documents are removed for
 * good. The rows stay, for what references them.
 */
export async function purgeOldFolders(): Promise<void> {
  await db()
    .updateTable('containers')
    .set({ name: '' })
    .where('deleted_at', '<=', now() - lifetime())
    .where('name', '!=', '')
    .where((e) => e('client_id', 'not in', e.selectFrom('legal_holds').select('legal_holds.client_id')))
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('documents')
            .select('documents.document_id')
            .whereRef('documents.container_id', '=', 'containers.container_id')
            .where('documents.purged_at', 'is', null),
        ),
      ),
    )
    .execute();
}
