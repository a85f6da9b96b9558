import type { Access } from '#features/people/people.ts';
import type { Container } from './folders.ts';

/** A folder of the tree with what is in it. */
export interface Branch {
  folder: Container;
  folders: Branch[];
}

/** How the firm lets somebody's documents be loaded and shown, by the access controls of spec 1 section 6. */
export const loadOf = ({ controls }: Access) => ({
  /** Every level of the tree is in the page; else the first ones, and the way to the open folder. */
  allLevels: controls.has('ContainerTreeTraversal') || controls.has('DisableDocumentsLazyLoading'),
  /** All containers, also those whose parent is not to be seen; else what hangs on the roots. */
  orphans: controls.has('ContainerTreeTraversal'),
  /** Documents by folder: without a folder those that lie in none; else all documents. */
  byFolder: controls.has('DocumentsParentID'),
  /** A folder shows also what is in the folders below it. */
  below: controls.has('DocumentsTreeTraversal'),
  mayBeFlat: !controls.has('HideDocsFlatToggle'),
  filtersReading: controls.has('ShowClientDocsReadToggle'),
});

/**
 * The folders of a client, parents before children, as a tree; the client itself is its ground and stands not
 * in it.
 */
export function treeOf(containers: readonly Container[]): Branch[] {
  const branches = new Map(containers.map((folder) => [folder.id, { folder, folders: [] as Branch[] }]));
  const tops: Branch[] = [];
  for (const branch of branches.values()) {
    if (branch.folder.containerType === 'Client') continue;
    const parent = branches.get(branch.folder.parentId ?? '');
    (parent && parent.folder.containerType !== 'Client' ? parent.folders : tops).push(branch);
  }
  return tops;
}

/** The folders that lead to one, the outermost first, itself the last; nothing for one that is not there. */
export function wayTo(containers: readonly Container[], id: string | undefined): Container[] {
  const byId = new Map(containers.map((container) => [container.id, container]));
  const way: Container[] = [];
  let folder = byId.get(id ?? '');
  while (folder && folder.containerType !== 'Client') {
    way.push(folder);
    folder = byId.get(folder.parentId ?? '');
  }
  return way.toReversed();
}

/**
 * Folders may stand so many levels below their client. Deeper ones, made before there was a limit, are shown
 * from so many levels above the open folder on.
 */
export const MAX_DEPTH = 20;

/** The part of a tree that a page shows: all of it, unless the open folder lies too deep for that. */
export function shownBranches(branches: readonly Branch[], way: readonly Container[]): readonly Branch[] {
  const hidden = way.slice(0, Math.max(0, way.length - MAX_DEPTH));
  return hidden.reduce<readonly Branch[]>(
    (level, { id }) => level.find(({ folder }) => folder.id === id)?.folders ?? level,
    branches,
  );
}

/** These containers and all that is below them, among those of a client, parents before children. */
export function withDescendants(containers: readonly Container[], ids: readonly string[]): string[] {
  const inside = new Set(ids);
  for (const { id, parentId } of containers) if (parentId !== null && inside.has(parentId)) inside.add(id);
  return [...inside];
}

/** A folder's name, with its year where the name does not say it. */
export const titleOf = ({
  name,
  processingYear = null,
}: {
  name: string;
  processingYear?: number | null;
}): string =>
  processingYear === null || name.includes(String(processingYear)) ? name : `${name} (${processingYear})`;
