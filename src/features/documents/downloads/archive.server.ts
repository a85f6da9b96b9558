import type { Actor } from '#features/base/people/people.ts';
import { archivePaths } from '#platform/storage/archive-paths.ts';
import { audit } from '#platform/security/audit.server.ts';
import { readBlob } from '#platform/storage/blobs.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { issueReceipts } from '#features/base/receipts/issuing.server.ts';
import type { ZipEntry } from '#platform/storage/zip.server.ts';
import { containersOf, type ContainerRow } from '#features/documents/folders/scope.server.ts';
import { documentsNamed, type DocumentRow } from '#features/documents/documents/scope.server.ts';
import { noteOpened } from '#features/documents/documents/reading.server.ts';

/**
 * A document in an archive: `name` is its path there, with `/` between folders, safe to extract and unique.
 */
export interface ArchiveFile extends ZipEntry {
  documentId: string;
  /** Its original name: the name in the archive may be truncated or numbered. */
  documentName: string;
  clientId: string;
  sha256: string;
}

/**
 * Loads the documents with these ids that the actor may see, in the order of the ids; others and infected
 * ones are omitted. Folders keep their names, in a folder per client if there are several.
 */
export async function archiveOf(actor: Actor, ids: readonly string[]): Promise<ArchiveFile[]> {
  const documents = (await documentsNamed(actor, ids)).filter(({ scan }) => scan !== 'infected');
  const paths = pathsOf(documents, await placesOf(actor, documents));
  return documents.map((row, i) => ({
    documentId: row.document_id,
    documentName: row.name,
    clientId: row.client_id,
    name: paths[i] ?? row.name,
    size: row.size,
    crc32: row.crc32,
    sha256: row.sha256,
    modifiedAt: row.modified_at,
    open: () => readBlob(row.blob_key),
  }));
}

/** The containers of the clients of these documents, by id. */
async function placesOf(actor: Actor, documents: readonly DocumentRow[]): Promise<Map<string, ContainerRow>> {
  const clients = [...new Set(documents.map((row) => row.client_id))];
  const rows =
    clients.length === 0
      ? []
      : await containersOf(actor).where('containers.client_id', 'in', clients).execute();
  return new Map(rows.map((row) => [row.container_id, row]));
}

function pathsOf(documents: readonly DocumentRow[], places: ReadonlyMap<string, ContainerRow>): string[] {
  const hasSeveralClients = new Set(documents.map((row) => row.client_id)).size > 1;
  const placed = documents.map((row) => ({
    folder: folderPathOf(row.container_id, places, hasSeveralClients),
    name: row.name,
  }));
  return archivePaths(placed, (id) => places.get(id)?.name ?? id);
}

/** The containers from the top down to this one; the client itself is included only if there are several. */
function folderPathOf(
  containerId: string,
  places: ReadonlyMap<string, ContainerRow>,
  withClient: boolean,
): string[] {
  const way: string[] = [];
  for (let place = places.get(containerId); place; place = places.get(place.parent_id ?? ''))
    if (withClient || place.container_type !== 'client') way.unshift(place.container_id);
  return way;
}

/**
 * Records that these documents were delivered in one archive: receipts, an audit entry per client, and read
 * marks. Does nothing while staff view as a contact.
 */
export async function noteExported(
  actor: Actor,
  exportId: string,
  files: readonly ArchiveFile[],
): Promise<void> {
  if (actor.viewedBy !== undefined || files.length === 0) return;
  await inTransaction(async () => {
    await noteOpened(
      actor,
      files.map(({ documentId }) => documentId),
    );
    const archived = files.map((file) => ({ ...file, name: file.documentName }));
    const receipt = await issueReceipts({
      companyId: actor.companyId,
      kind: 'download',
      actor: actor.contactId,
      documents: archived,
    });
    for (const [clientId, own] of Map.groupBy(files, (file) => file.clientId)) {
      await audit({
        companyId: actor.companyId,
        actor: actor.contactId,
        action: 'document.export',
        target: exportId,
        clientId,
        details: { documents: own.length, ...receipt },
      });
    }
  });
}
