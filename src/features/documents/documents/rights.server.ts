import { CONTAINER_TYPES } from '#features/documents/folders/folders.ts';
import { assertStaff } from '#features/documents/folders/roles.server.ts';
import { containersOf, type ContainerRow } from '#features/documents/folders/scope.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import type { Rights } from './rights.ts';
import { documentsOf } from './scope.server.ts';

/**
 * Reports the permissions and locks of a container or document, for staff. FORBIDDEN for contacts; NOT_FOUND
 * for items that they may not see, and for items of another `type`.
 */
export async function rightsOf(actor: Actor, itemId: string, type?: Rights['type']): Promise<Rights> {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  const document = await documentsOf(actor).where('documents.document_id', '=', itemId).executeTakeFirst();
  const way = await wayUp(actor, document?.container_id ?? itemId);
  const [container] = way;
  if (!container) throw notFound();
  const item = document
    ? { name: document.name, type: 'Document' as const, parentId: document.container_id }
    : {
        name: container.name,
        type: CONTAINER_TYPES[container.container_type],
        parentId: container.parent_id,
      };
  if (type !== undefined && type !== item.type) throw notFound();
  const locks = await locksOn([itemId, ...way.map((row) => row.container_id)]);
  const nameOf = (id: string): string => way.find((row) => row.container_id === id)?.name ?? item.name;
  const shown = (found: (typeof locks)[number] | undefined) =>
    found
      ? {
          itemId: found.item_id,
          name: nameOf(found.item_id),
          by: found.full_name,
          at: new Date(found.locked_at).toISOString(),
        }
      : null;
  const above = way.flatMap((row) =>
    row.container_id === itemId ? [] : (locks.find((one) => one.item_id === row.container_id) ?? []),
  )[0];
  return {
    id: itemId,
    ...item,
    clientId: container.client_id,
    people: await peopleIn(container, way),
    lock: shown(locks.find((one) => one.item_id === itemId)),
    lockAbove: shown(above),
  };
}

/** A container and its ancestors, the nearest first; empty if the actor may not see it. */
async function wayUp(actor: Actor, containerId: string): Promise<ContainerRow[]> {
  const [start] = await containersOf(actor).where('containers.container_id', '=', containerId).execute();
  const all = start
    ? await containersOf(actor).where('containers.client_id', '=', start.client_id).execute()
    : [];
  const byId = new Map(all.map((row) => [row.container_id, row]));
  const way: ContainerRow[] = [];
  for (let row = start; row; row = byId.get(row.parent_id ?? '')) way.push(row);
  return way;
}

const locksOn = (ids: readonly string[]) =>
  db()
    .selectFrom('item_locks')
    .innerJoin('contacts', 'contacts.contact_id', 'item_locks.locked_by')
    .select(['item_id', 'locked_at', 'contacts.full_name'])
    .where('item_id', 'in', ids)
    .where('kind', '=', 'Read')
    .where('level', '=', 'Master')
    .execute();

/** The contacts of a container's client by name, with their roles there. */
async function peopleIn(
  { client_id: clientId }: ContainerRow,
  way: readonly ContainerRow[],
): Promise<Rights['people']> {
  const contacts = await db()
    .selectFrom('client_contacts')
    .innerJoin('contacts', 'contacts.contact_id', 'client_contacts.contact_id')
    .select(['contacts.contact_id', 'contacts.full_name'])
    .where('client_id', '=', clientId)
    .where('staff', '=', 0)
    .execute();
  const ids = way.map((row) => row.container_id);
  const roles = await db()
    .selectFrom('container_roles')
    .selectAll()
    .where('container_id', 'in', ids)
    .execute();
  const given = ({
    contact_id: contactId,
    full_name: fullName,
  }: (typeof contacts)[number]): Rights['people'][number] => {
    const [nearest] = way.flatMap(
      (row) =>
        roles.find((one) => one.container_id === row.container_id && one.contact_id === contactId) ?? [],
    );
    if (!nearest) return { contactId, fullName, role: 'Contributor', given: 'usual', givenIn: null };
    const isHere = nearest.container_id === ids[0];
    return {
      contactId,
      fullName,
      role: nearest.role,
      given: isHere ? 'here' : 'above',
      givenIn: isHere ? null : (way.find((row) => row.container_id === nearest.container_id)?.name ?? null),
    };
  };
  return contacts.map(given).toSorted((a, b) => a.fullName.localeCompare(b.fullName));
}

/**
 * Locks a document or container (a Read lock of level Master), or releases it. NOT_FOUND for what the staff
 * member may not see, FORBIDDEN for contacts.
 */
export async function setLocked(actor: Actor, itemId: string, isLocked: boolean): Promise<void> {
  assertStaff(actor);
  const item =
    (await documentsOf(actor).where('document_id', '=', itemId).executeTakeFirst()) ??
    (await containersOf(actor).where('container_id', '=', itemId).executeTakeFirst());
  if (!item) throw notFound();
  await inTransaction(async () => {
    const locks = await db()
      .selectFrom('item_locks')
      .select('item_id')
      .where('item_id', '=', itemId)
      .where('kind', '=', 'Read')
      .execute();
    if (locks.length > 0 === isLocked) return; // the first lock and its time are kept
    await db().deleteFrom('item_locks').where('item_id', '=', itemId).where('kind', '=', 'Read').execute();
    const lock = {
      item_id: itemId,
      kind: 'Read',
      level: 'Master',
      client_id: item.client_id,
      locked_by: actor.contactId,
      locked_at: now(),
    } as const;
    if (isLocked) await db().insertInto('item_locks').values(lock).execute();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: isLocked ? 'item.lock' : 'item.unlock',
      target: itemId,
      clientId: item.client_id,
    });
  });
}
