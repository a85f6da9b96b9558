import type { Access } from '#features/base/people/people.ts';
import type { Container } from './folders.ts';

/** A folder of the tree with its children. */
export interface Branch {
  folder: Container;
  folders: Branch[];
}

/** How the firm has documents loaded and shown, by the access controls of spec 1 section 6. */
export const loadOf = ({ controls }: Access) => ({
  /** Every level of the tree is in the page; otherwise the first levels, and the path to the open folder. */
  allLevels: controls.has('ContainerTreeTraversal') || controls.has('DisableDocumentsLazyLoading'),
  /** All containers, including those with an invisible parent; otherwise those below the roots. */
  orphans: controls.has('ContainerTreeTraversal'),
  /** Documents by folder: without a folder those in none; otherwise all documents. */
  byFolder: controls.has('DocumentsParentID'),
  /** A folder also shows the contents of its descendants. */
  below: controls.has('DocumentsTreeTraversal'),
  mayBeFlat: !controls.has('HideDocsFlatToggle'),
  filtersReading: controls.has('ShowClientDocsReadToggle'),
});

/**
 * Builds the tree of a client's folders, parents before children; the client itself is the root and not
 * included.
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

/** Returns the path to a folder, the outermost first and itself last; empty if it does not exist. */
export function breadcrumbsTo(containers: readonly Container[], id: string | undefined): Container[] {
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
 * The maximum depth of folders below their client. For deeper ones, created before there was a limit, only as
 * many levels above the open folder are shown.
 */
export const MAX_DEPTH = 20;

/** The part of a tree that a page shows: all of it, unless the open folder is too deep. */
export function shownBranches(branches: readonly Branch[], way: readonly Container[]): readonly Branch[] {
  const hidden = way.slice(0, Math.max(0, way.length - MAX_DEPTH));
  return hidden.reduce<readonly Branch[]>(
    (level, { id }) => level.find(({ folder }) => folder.id === id)?.folders ?? level,
    branches,
  );
}

/** Returns these containers and their descendants among those of a client, parents before children. */
export function withDescendants(containers: readonly Container[], ids: readonly string[]): string[] {
  const inside = new Set(ids);
  for (const { id, parentId } of containers) if (parentId !== null && inside.has(parentId)) inside.add(id);
  return [...inside];
}

/** Formats a folder's name, with its year unless the name contains it. */
export const titleOf = ({
  name,
  processingYear = null,
}: {
  name: string;
  processingYear?: number | null;
}): string =>
  processingYear === null || name.includes(String(processingYear)) ? name : `${name} (${processingYear})`;
