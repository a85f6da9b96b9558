import { assertNotDeleted } from '#features/documents/documents/adding.server.ts';
import { folderDenialReason, subtreeOf } from '#features/documents/documents/folder-rights.server.ts';
import { nextFreeName } from '#features/documents/documents/free-names.server.ts';
import { documentsNamed, type DocumentRow } from '#features/documents/documents/scope.server.ts';
import { assertRoomBelow, containerOf, lockTree } from '#features/documents/folders/folders.server.ts';
import { CONTAINER_TYPES, UPLOAD_FOLDERS } from '#features/documents/folders/folders.ts';
import { nameKey } from '#features/documents/folders/names.server.ts';
import { permissionsIn, permissionsOn } from '#features/documents/folders/permissions.server.ts';
import { itemPermissionsOf } from '#features/documents/folders/roles.server.ts';
import { containersOf, type ContainerRow } from '#features/documents/folders/scope.server.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction, isUniqueViolation } from '#platform/database/database.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import type { ChosenItems, Filed } from './filing.ts';
import { freeFolderName } from './renaming.server.ts';

const MAX_TRIES = 100;

/**
 * Moves documents and folders to a container of the same client, all possible ones in one transaction, and returns the
 * result for each. One whose name is taken there gets the next free one. FORBIDDEN without the right to add there.
 */
export async function moveItems(actor: Actor, input: ChosenItems): Promise<Filed[]> {
  // On PostgreSQL another upload may take a free name first: then all are tried again.
  for (let tries = 0; ; tries += 1) {
    try {
      return await inTransaction(() => moveAll(actor, input));
    } catch (error) {
      if (tries === MAX_TRIES || !isUniqueViolation(error)) throw error;
    }
  }
}

/** Moves items back to the containers they came from, and returns the result for each, as {@link moveItems}. */
export async function undoMove(
  actor: Actor,
  moved: readonly { id: string; from: string }[],
): Promise<Filed[]> {
  const filed: Filed[] = [];
  for (const [from, items] of Map.groupBy(moved, (item) => item.from)) {
    const row = await containersOf(actor).where('containers.container_id', '=', from).executeTakeFirst();
    const ids = items.map(({ id }) => id);
    if (!row) {
      filed.push(...ids.map((id): Filed => ({ id, result: 'NOT_FOUND' }))); // deleted meanwhile
      continue;
    }
    const isDocument = (id: string): boolean => id.startsWith('doc_');
    filed.push(
      ...(await moveItems(actor, {
        documentIds: ids.filter(isDocument),
        folderIds: ids.filter((id) => !isDocument(id)),
        containerId: from,
        containerType: CONTAINER_TYPES[row.container_type],
      })),
    );
  }
  return filed;
}

async function moveAll(caller: Actor, input: ChosenItems): Promise<Filed[]> {
  const actor = await actorNow(caller);
  await lockTree((await containerOf(actor, input.containerType, input.containerId)).client_id);
  const target = await containerOf(actor, input.containerType, input.containerId);
  if (!(await permissionsIn(actor, target)).addContents) throw new PortalError('FORBIDDEN');
  const ancestors = await ancestorsOf(actor, target);
  const found = await documentsNamed(actor, input.documentIds);
  const documents = new Map(found.map((row) => [row.document_id, row]));
  const itemPermissions = await itemPermissionsOf(actor, found);
  const inUploads = await uploadTreeOf(actor, target.client_id);
  const filed: Filed[] = [];
  for (const id of new Set(input.documentIds)) {
    const row = documents.get(id);
    if (!row) {
      filed.push({ id, result: 'NOT_FOUND' });
      continue;
    }
    const may = (isLocked: boolean) =>
      permissionsOn(actor, row.created_by, { of: 'document', ...itemPermissions(row), isLocked }).delete;
    const isMisfiled = actor.staff && inUploads(target.container_id) && !inUploads(row.container_id);
    if (row.client_id !== target.client_id) filed.push({ id, name: row.name, result: 'OTHER_CLIENT' });
    else if (isMisfiled || !may(false)) filed.push({ id, name: row.name, result: 'FORBIDDEN' });
    else if (!may(itemPermissions(row).isLocked)) filed.push({ id, name: row.name, result: 'LOCKED' });
    else filed.push(await moveDocument(actor, row, target));
  }
  for (const id of new Set(input.folderIds))
    filed.push(await moveFolder(actor, id, { target, ancestors, inUploads }));
  await assertNotDeleted(target);
  return filed;
}

/** The ids of a container and its ancestors. */
async function ancestorsOf(actor: Actor, row: ContainerRow): Promise<Set<string>> {
  const rows = await containersOf(actor).where('containers.client_id', '=', row.client_id).execute();
  const parents = new Map(rows.map((each) => [each.container_id, each.parent_id]));
  const found = new Set<string>();
  for (let id: string | null = row.container_id; id !== null && !found.has(id); id = parents.get(id) ?? null)
    found.add(id);
  return found;
}

/**
 * Tells of containers whether they are the client's upload folder or in it: staff never file documents of the firm
 * there.
 */
export async function uploadTreeOf(actor: Actor, clientId: string): Promise<(id: string) => boolean> {
  const uploads = await containersOf(actor)
    .where('containers.client_id', '=', clientId)
    .where('containers.product_type', '=', UPLOAD_FOLDERS.uploads)
    .executeTakeFirst();
  if (!uploads) return () => false;
  const ids = new Set((await subtreeOf(actor, uploads)).map((row) => row.container_id));
  return (id) => ids.has(id);
}

async function moveDocument(actor: Actor, row: DocumentRow, target: ContainerRow): Promise<Filed> {
  const id = row.document_id;
  if (row.container_id === target.container_id) return { id, name: row.name, result: 'MOVED' };
  const name = await nextFreeName(target, row.name);
  const { numUpdatedRows } = await db()
    .updateTable('documents')
    .set({ container_id: target.container_id, name, name_key: nameKey(name), modified_at: now() })
    .where('document_id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return { id, result: 'NOT_FOUND' }; // deleted meanwhile
  await audit({
    companyId: row.company_id,
    actor: actor.contactId,
    action: 'document.move',
    target: id,
    clientId: row.client_id,
    details: { from: row.container_id, to: target.container_id },
  });
  return { id, name, ...(name !== row.name && { formerName: row.name }), result: 'MOVED' };
}

async function moveFolder(
  actor: Actor,
  id: string,
  {
    target,
    ancestors,
    inUploads,
  }: { target: ContainerRow; ancestors: ReadonlySet<string>; inUploads: (id: string) => boolean },
): Promise<Filed> {
  const row = await containersOf(actor).where('containers.container_id', '=', id).executeTakeFirst();
  if (!row) return { id, result: 'NOT_FOUND' };
  const denied = (result: Filed['result']): Filed => ({ id, name: row.name, result });
  if (row.client_id !== target.client_id) return denied('OTHER_CLIENT');
  if (row.container_type !== 'folder') return denied('FORBIDDEN');
  if (ancestors.has(id)) return denied('CYCLE');
  if (actor.staff && inUploads(target.container_id) && !inUploads(id)) return denied('FORBIDDEN');
  const reason = await folderDenialReason(actor, row);
  if (reason) return denied(reason);
  if (row.parent_id === target.container_id) return denied('MOVED');
  try {
    await assertRoomBelow(target, { added: 0, levels: heightOf(await subtreeOf(actor, row)) });
  } catch (error) {
    if (refusal(error)?.code === 'TOO_DEEP') return denied('TOO_DEEP');
    throw error;
  }
  const name = await freeFolderName(actor, target.container_id, row.name);
  await db()
    .updateTable('containers')
    .set({ parent_id: target.container_id, name, name_key: nameKey(name), modified_at: now() })
    .where('container_id', '=', id)
    .execute();
  await audit({
    companyId: row.company_id,
    actor: actor.contactId,
    action: 'folder.move',
    target: id,
    clientId: row.client_id,
    details: { from: row.parent_id ?? '', to: target.container_id },
  });
  return { id, name, ...(name !== row.name && { formerName: row.name }), result: 'MOVED' };
}

/** The number of levels of a subtree, its top counted. */
function heightOf(subtree: readonly ContainerRow[]): number {
  const levels = new Map<string, number>();
  for (const row of subtree) levels.set(row.container_id, (levels.get(row.parent_id ?? '') ?? 0) + 1);
  return Math.max(...levels.values());
}
