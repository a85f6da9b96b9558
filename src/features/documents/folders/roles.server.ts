import { sql } from 'kysely';
import { seesContact } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { sharedRead } from '#platform/database/shared-reads.server.ts';
import { containersOf } from './scope.server.ts';

/*
 * Roles of contacts and locks (spec 1 section 6). Both apply to descendants: the role comes from the nearest
 * ancestor that has one, a lock from any.
 */

export type Role = 'Owner' | 'Contributor';

/**
 * The actor's standing on an item: their role in its container, and whether it is locked by a Read lock of
 * level Master.
 */
export interface ItemPermissions {
  role: Role;
  isLocked: boolean;
}

/** The permissions on each of some containers, by id. */
export type ContainerPermissions = (containerId: string) => ItemPermissions;

/**
 * Returns the actor's standing on each of these containers: contacts are Contributors unless the firm
 * assigned another role, staff are Owners.
 */
export async function itemPermissionsIn(
  actor: Actor,
  which: { containerIds: readonly string[] } | { clientId: string },
): Promise<ContainerPermissions> {
  if ('containerIds' in which && which.containerIds.length === 0) return () => usual(actor);
  if ('clientId' in which) return itemPermissionsOfClient(actor, which.clientId);
  const start = sql`container_id in (${sql.join([...new Set(which.containerIds)])})`;
  const { rows } = await sql<{ start: string; role: Role | null; level: string | null }>`
    with recursive up (start, id, steps) as (
      select container_id, container_id, 0 from containers where ${start}
      union all
      select up.start, containers.parent_id, up.steps + 1 from up join containers on containers.container_id = up.id where containers.parent_id is not null)
    select up.start, container_roles.role, item_locks.level from up
    left join container_roles on container_roles.container_id = up.id and container_roles.contact_id = ${actor.contactId}
    left join item_locks on item_locks.item_id = up.id and item_locks.kind = 'Read' and item_locks.level = 'Master'
    where container_roles.role is not null or item_locks.level is not null
    order by up.steps`.execute(db());
  const found = Map.groupBy(rows, (row) => row.start);
  return (containerId) => {
    const above = found.get(containerId) ?? [];
    const given = above.find((row) => row.role !== null)?.role;
    return {
      role: actor.staff ? 'Owner' : (given ?? 'Contributor'),
      isLocked: above.some((row) => row.level !== null),
    };
  };
}

/**
 * Does the same for all containers of a client, visiting each once: walking up from each would cost its
 * depth.
 */
const itemPermissionsOfClient = sharedRead(
  readItemPermissionsOfClient,
  ({ contactId }, clientId) => `${contactId} ${clientId}`,
);

async function readItemPermissionsOfClient(actor: Actor, clientId: string): Promise<ContainerPermissions> {
  const rows = await db()
    .selectFrom('containers')
    .leftJoin('container_roles', (join) =>
      join
        .onRef('container_roles.container_id', '=', 'containers.container_id')
        .on('container_roles.contact_id', '=', actor.contactId),
    )
    .leftJoin('item_locks', (join) =>
      join
        .onRef('item_locks.item_id', '=', 'containers.container_id')
        .on('item_locks.kind', '=', 'Read')
        .on('item_locks.level', '=', 'Master'),
    )
    .where('containers.client_id', '=', clientId)
    .select(['containers.container_id', 'containers.parent_id', 'container_roles.role', 'item_locks.level'])
    .execute();
  const byId = new Map(rows.map((row) => [row.container_id, row]));
  const known = new Map<string, ItemPermissions>();
  return (containerId) => {
    const unknown: typeof rows = [];
    let row = byId.get(containerId);
    while (row && !known.has(row.container_id)) {
      unknown.push(row);
      row = byId.get(row.parent_id ?? '');
    }
    let itemPermissions = (row && known.get(row.container_id)) ?? usual(actor);
    for (const { container_id: id, role, level } of unknown.toReversed()) {
      const ownRole = actor.staff ? 'Owner' : (role ?? itemPermissions.role);
      itemPermissions = { role: ownRole, isLocked: itemPermissions.isLocked || level !== null };
      known.set(id, itemPermissions);
    }
    return itemPermissions;
  };
}

/** The columns that determine a document's container and its own lock. */
interface Lockable {
  container_id: string;
  is_locked: unknown;
}

/**
 * Returns the permissions on documents, which may be locked themselves; those on their containers are read unless they
 * are known already.
 */
export async function itemPermissionsOf(
  actor: Actor,
  rows: readonly Lockable[],
  known?: ContainerPermissions,
): Promise<(row: Lockable) => ItemPermissions> {
  const itemPermissions =
    known ?? (await itemPermissionsIn(actor, { containerIds: rows.map((row) => row.container_id) }));
  return (row) => {
    const { role, isLocked } = itemPermissions(row.container_id);
    return { role, isLocked: isLocked || Boolean(row.is_locked) };
  };
}

/** The locked containers and their descendants, independent of an actor: for sweeps. */
export const lockedContainers = sql`with recursive frozen (id) as (
  select item_id from item_locks where kind = 'Read' and level = 'Master'
  union
  select containers.container_id from containers join frozen on containers.parent_id = frozen.id)
  select id from frozen`;

const usual = ({ staff }: Actor): ItemPermissions => ({
  role: staff ? 'Owner' : 'Contributor',
  isLocked: false,
});

/**
 * Assigns the role of a contact in a container and its descendants; undefined removes it. NOT_FOUND for what
 * the staff member may not see, FORBIDDEN for contacts.
 */
export async function giveRole(
  actor: Actor,
  containerId: string,
  contactId: string,
  role: Role | undefined,
): Promise<void> {
  assertStaff(actor);
  const container = await containersOf(actor).where('container_id', '=', containerId).executeTakeFirst();
  if (!container || !(await seesContact(actor, contactId))) throw notFound();
  await inTransaction(async () => {
    await db()
      .deleteFrom('container_roles')
      .where('container_id', '=', containerId)
      .where('contact_id', '=', contactId)
      .execute();
    if (role)
      await db()
        .insertInto('container_roles')
        .values({ container_id: containerId, contact_id: contactId, role })
        .execute();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'container.role',
      target: containerId,
      clientId: container.client_id,
      details: { subject: contactId, role: role ?? '' },
    });
  });
}

export function assertStaff(actor: Actor): void {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
}
