import { assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { presentContainer } from './internal/present.server.ts';
import {
  CONTAINER_TYPES,
  type Container,
  type ContainerType,
  type ProjectsQuery,
  type RootsQuery,
  type TreeQuery,
} from './folders.ts';
import { itemPermissionsIn, type ItemPermissions } from './roles.server.ts';
import { listedContainersOf, type ListedContainerRow } from './scope.server.ts';

/*
 * A client's containers as trees and lists (spec 1 section 7). A tree is a list, parents before children and
 * each level by name, with the depth of each: the client is 0.
 */

/** A client's containers with their counts, in the order of the tree. */
export const listContainers = (actor: Actor, clientId: string): Promise<Container[]> =>
  containerTree(actor, { clientId, includeOrphans: false, countDocuments: true, calculateLocks: false });

/** Returns the tree of a client. Orphans, whose parent the actor may not see, come last if requested. */
export async function containerTree(
  actor: Actor,
  { clientId, includeOrphans, calculateLocks }: TreeQuery,
): Promise<Container[]> {
  await assertActsFor(actor, clientId);
  const { rows, standing } = await ofClient(actor, clientId);
  const shown = (row: ListedContainerRow, depth: number): Container => ({
    ...presentContainer(actor, row, standing(row.container_id)),
    depth,
    ...(calculateLocks && { isLocked: standing(row.container_id).isLocked }),
  });
  const ids = new Set(rows.map((row) => row.container_id));
  const orphans = rows.filter(({ parent_id: parent }) => parent !== null && !ids.has(parent));
  return [
    ...below(rows, null),
    ...(includeOrphans
      ? orphans.flatMap((row) => [{ row, depth: 1 }, ...below(rows, row.container_id, 2)])
      : []),
  ].map(({ row, depth }) => shown(row, depth));
}

/** Lists all descendants of a container, in the order of the tree. */
export async function descendants(
  actor: Actor,
  type: ContainerType,
  containerId: string,
): Promise<Container[]> {
  const top = await listedContainersOf(actor)
    .where('containers.container_id', '=', containerId)
    .executeTakeFirst();
  if (!top && type === 'Client') await assertActsFor(actor, containerId); // nothing was uploaded yet
  if (top ? CONTAINER_TYPES[top.container_type] !== type : type !== 'Client') throw notFound();
  if (!top) return [];
  const { rows, standing } = await ofClient(actor, top.client_id);
  return below(rows, containerId).map(({ row }) => presentContainer(actor, row, standing(row.container_id)));
}

/**
 * Lists the root containers of one client or of all that the actor acts for: the clients' own, and those
 * without a parent.
 */
export async function roots(
  actor: Actor,
  { clientId, includeAssociationFields, from, pageSize }: RootsQuery,
) {
  if (clientId !== undefined) await assertActsFor(actor, clientId);
  const tops = listedContainersOf(actor)
    .where('containers.container_type', 'in', ['client', 'project'])
    .$if(clientId !== undefined, (all) => all.where('containers.client_id', '=', clientId ?? ''));
  const rows = await tops
    .orderBy('containers.client_id')
    .orderBy('containers.container_type')
    .orderBy('containers.container_id')
    .limit(pageSize + 1)
    .offset(from)
    .execute();
  const items = await presentAll(actor, rows.slice(0, pageSize));
  return {
    items: includeAssociationFields
      ? items.map((item) => ({ ...item, association: { type: 'Client' as const, id: item.clientId } }))
      : items,
    pageIndex: Math.floor(from / pageSize),
    hasMore: rows.length > pageSize,
  };
}

/**
 * Lists the projects of a client, all or of one product type, by name: `ClientContactFolder` is the upload
 * folder of its contacts.
 */
export async function listProjects(
  actor: Actor,
  { primaryAssociationId, productType }: ProjectsQuery,
): Promise<Container[]> {
  await assertActsFor(actor, primaryAssociationId);
  const rows = await listedContainersOf(actor)
    .where('containers.client_id', '=', primaryAssociationId)
    .where('containers.container_type', '=', 'project')
    .$if(productType !== undefined, (projects) =>
      projects.where('containers.product_type', '=', productType ?? ''),
    )
    .orderBy('containers.name_key')
    .execute();
  return presentAll(actor, rows);
}

async function ofClient(
  actor: Actor,
  clientId: string,
): Promise<{ rows: ListedContainerRow[]; standing: (containerId: string) => ItemPermissions }> {
  const rows = await listedContainersOf(actor)
    .where('containers.client_id', '=', clientId)
    .orderBy('containers.name_key')
    .execute();
  return { rows, standing: await itemPermissionsIn(actor, { clientId }) };
}

async function presentAll(actor: Actor, rows: readonly ListedContainerRow[]): Promise<Container[]> {
  const standing = await itemPermissionsIn(actor, { containerIds: rows.map((row) => row.container_id) });
  return rows.map((row) => presentContainer(actor, row, standing(row.container_id)));
}

interface Placed {
  row: ListedContainerRow;
  depth: number;
}

/** The descendants of a container, each level in the order of `rows`; without recursion, for any depth. */
function below(rows: readonly ListedContainerRow[], top: string | null, depth = 0): Placed[] {
  const children = Map.groupBy(rows, (row) => row.parent_id);
  const childrenOf = (parent: string | null, level: number): Placed[] =>
    (children.get(parent) ?? []).map((row) => ({ row, depth: level })).toReversed();
  const found: Placed[] = [];
  const left = childrenOf(top, depth);
  for (let next = left.pop(); next; next = left.pop()) {
    found.push(next);
    for (const child of childrenOf(next.row.container_id, next.depth + 1)) left.push(child);
  }
  return found;
}
