import type { Actor } from '#features/base/people/people.ts';
import { containerOf } from '#features/documents/folders/folders.server.ts';
import { CONTAINER_TYPES, type ContainerType } from '#features/documents/folders/folders.ts';
import { containersOf, type ContainerRow } from '#features/documents/folders/scope.server.ts';
import { documentsOf, type DocumentRow } from './scope.server.ts';

/**
 * A document below a container; `folder` has the folder names from that container down, starting with its
 * own.
 */
interface Below {
  documentId: string;
  name: string;
  size: number;
  folder: string[];
  scan: DocumentRow['scan'];
}

export interface Descendants {
  id: string;
  name: string;
  containerType: ContainerType;
  clientId: string;
  documents: Below[];
}

/**
 * Lists the current documents of a project or folder and all of its descendants, each level by name, at most
 * `most`; NOT_FOUND if the actor may not see the container.
 */
export async function documentsUnder(
  actor: Actor,
  type: ContainerType,
  containerId: string,
  most: number,
): Promise<Descendants> {
  const top = await containerOf(actor, type, containerId);
  const rows = await containersOf(actor).where('client_id', '=', top.client_id).orderBy('name_key').execute();
  const folders = descendantFolders(
    top,
    Map.groupBy(rows, (row) => row.parent_id),
  );
  const places = new Map(folders.map(({ id }, place) => [id, place]));
  const found = await documentsOf(actor)
    .where('documents.container_id', 'in', [...places.keys()])
    .orderBy('documents.name_key')
    .orderBy('documents.document_id')
    .execute();
  const documents = found
    .toSorted((a, b) => (places.get(a.container_id) ?? 0) - (places.get(b.container_id) ?? 0))
    .slice(0, most)
    .map((row) => ({
      documentId: row.document_id,
      name: row.name,
      size: row.size,
      folder: folders[places.get(row.container_id) ?? 0]?.path ?? [],
      scan: row.scan,
    }));
  return {
    id: top.container_id,
    name: top.name,
    containerType: CONTAINER_TYPES[top.container_type],
    clientId: top.client_id,
    documents,
  };
}

/** The container and its descendants, each with its path. */
function descendantFolders(
  top: ContainerRow,
  children: Map<string | null, ContainerRow[]>,
): { id: string; path: string[] }[] {
  const found: { id: string; path: string[] }[] = [];
  const left = [{ row: top, path: [top.name] }];
  for (let next = left.pop(); next; next = left.pop()) {
    const { row, path } = next;
    found.push({ id: row.container_id, path });
    const inside = children.get(row.container_id) ?? [];
    for (const child of inside.toReversed()) left.push({ row: child, path: [...path, child.name] });
  }
  return found;
}
