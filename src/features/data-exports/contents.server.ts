import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { documentsOf } from '#features/documents/scope.server.ts';
import { containersOf } from '#features/folders/scope.server.ts';
import { folderTitle } from '#features/folders/titles.server.ts';
import { mergedInto } from '#features/people/merged-clients.server.ts';
import { clientIdsOf } from '#features/people/people.server.ts';
import { archiveNames } from '#platform/archive-names.ts';
import { archivePaths } from '#platform/archive-paths.ts';
import { readBlob } from '#platform/blobs.server.ts';
import { db } from '#platform/database.server.ts';
import { refusal } from '#platform/errors.server.ts';
import type { GeneratedEntry, ZipEntry } from '#platform/zip.server.ts';
import { clientIndex, firmIndex, type IndexedClient } from './internal/index-pages.server.ts';
import { clientManifestCsv, clientManifestJson } from './internal/manifests.server.ts';
import { messagesCsv } from './internal/messages.server.ts';
import { readme } from './internal/readme.server.ts';
import { auditLogCsv, auditLogLines, checkpoints, receiptsCsv } from './internal/records.server.ts';
import type { ExportedClient, ExportedDocument, ExportScope } from './internal/scope.server.ts';

type Entry = ZipEntry | GeneratedEntry;

/**
 * The files of an export, one after the other, as they are read: what is about all of it at the top; the documents of
 * each client in their folders, with a list of them. In an export of the firm each client has a folder.
 */
export async function* contentsOf(scope: ExportScope): AsyncGenerator<Entry, void> {
  const clients = await clientsIn(scope);
  yield { name: 'README.txt', content: () => readme(scope) };
  const indexed: IndexedClient[] = [];
  const folders = archiveNames(clients.map(({ name }) => name));
  for (const [index, client] of clients.entries()) {
    const folder = scope.clientId === null ? `clients/${folders[index] ?? client.id}/` : '';
    const sums = yield* clientFiles(scope, client, folder);
    indexed.push({ ...client, ...sums, folder });
  }
  const clientIds = scope.clientId === null ? null : clients.flatMap(({ ids }) => ids);
  if (scope.clientId === null) yield { name: 'index.html', content: () => firmIndex(scope, indexed) };
  yield { name: 'receipts.csv', content: () => receiptsCsv(scope, clientIds) };
  yield { name: 'audit-log.csv', content: () => auditLogCsv(scope, clientIds) };
  yield { name: 'audit-log.jsonl', content: () => auditLogLines(scope, clientIds) };
  yield { name: 'audit-checkpoints.txt', content: () => checkpoints(scope) };
}

/** The clients of the scope by name, each with the ids of those that were merged into it. */
async function clientsIn({ actor, clientId }: ExportScope): Promise<ExportedClient[]> {
  const rows = await db()
    .selectFrom('clients')
    .select(['client_id', 'name', 'code', 'archived_at'])
    .where('clients.client_id', 'in', clientIdsOf(actor))
    .$if(clientId !== null, (all) => all.where('clients.client_id', '=', clientId ?? ''))
    .orderBy('name_key')
    .orderBy('client_id')
    .execute();
  const clients: ExportedClient[] = [];
  for (const { client_id: id, name, code, archived_at: archivedAt } of rows)
    clients.push({ id, name, code, archivedAt, ids: [id, ...(await mergedInto(id))] });
  return clients;
}

/** The documents of a client, and the lists of them; returns how many there are. */
async function* clientFiles(
  scope: ExportScope,
  client: ExportedClient,
  folder: string,
): AsyncGenerator<Entry, { documents: number; bytes: number }> {
  const folders = await foldersOf(scope, client);
  const documents = await documentsIn(scope, client, folders);
  for (const document of documents) {
    const bytes = document.problem === '' ? await readable(document) : undefined;
    if (bytes) {
      const { size, crc32, modifiedAt } = document;
      yield { name: folder + document.path, size, crc32, modifiedAt, open: () => bytes };
    } else if (document.problem === '') document.problem = 'damaged';
    await scope.onDocument(document.size, document.problem !== '');
  }
  const titles = [...folders.values()].map(({ path }) => path.join('/'));
  yield {
    name: `${folder}manifest.json`,
    content: () => clientManifestJson(scope, client, titles, documents),
  };
  yield { name: `${folder}manifest.csv`, content: () => clientManifestCsv(documents) };
  yield { name: `${folder}messages.csv`, content: () => messagesCsv(scope, client) };
  yield { name: `${folder}index.html`, content: () => clientIndex(scope, client, documents, folder !== '') };
  const included = documents.filter(({ problem }) => problem === '');
  return { documents: included.length, bytes: included.reduce((sum, { size }) => sum + size, 0) };
}

/**
 * The bytes of a document, once their beginning can be read; undefined if they are damaged. A later damage fails the
 * attempt: the next one finds it at the beginning.
 */
async function readable({ blobKey }: ExportedDocument): Promise<Readable | undefined> {
  const bytes = readBlob(blobKey);
  try {
    await once(bytes, 'readable');
    return bytes;
  } catch (error) {
    bytes.destroy();
    if (refusal(error)?.code === 'DAMAGED') return undefined;
    throw error;
  }
}

interface Folder {
  /** The ids from the top to this one, and their titles. */
  ids: string[];
  path: string[];
}

/** The folders of a client by id; the client's own container has an empty path. */
async function foldersOf(
  { actor, lang }: ExportScope,
  { ids }: ExportedClient,
): Promise<Map<string, Folder>> {
  const rows = await containersOf(actor).where('containers.client_id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.container_id, row]));
  const folders = new Map<string, Folder>();
  for (const row of rows) {
    const folder: Folder = { ids: [], path: [] };
    for (let at: typeof row | undefined = row; at; at = byId.get(at.parent_id ?? '')) {
      if (at.container_type === 'client') continue;
      folder.ids.unshift(at.container_id);
      const { name, product_type: productType, processing_year: processingYear } = at;
      folder.path.unshift(folderTitle(lang, true, { name, productType, processingYear }));
    }
    folders.set(row.container_id, folder);
  }
  return folders;
}

const PAGE = 1000;

/** All documents of a client with their paths, loaded page by page. */
async function documentsIn(
  { actor }: ExportScope,
  { ids }: ExportedClient,
  folders: ReadonlyMap<string, Folder>,
): Promise<ExportedDocument[]> {
  const found: ExportedDocument[] = [];
  const files: { folder: readonly string[]; name: string }[] = [];
  const folderNames = new Map([...folders].map(([id, { path }]) => [id, path.join('/')]));
  for (let after = 0; ;) {
    const rows = await documentsOf(actor)
      .where('documents.client_id', 'in', ids)
      .where('documents.seq', '>', after)
      .orderBy('documents.seq')
      .limit(PAGE)
      .execute();
    for (const row of rows) {
      files.push({ folder: folders.get(row.container_id)?.ids ?? [], name: row.name });
      found.push({
        id: row.document_id,
        path: '',
        name: row.name,
        folder: folderNames.get(row.container_id) ?? '',
        size: row.size,
        sha256: row.sha256,
        crc32: row.crc32,
        mimeType: row.mime_type,
        blobKey: row.blob_key,
        addedAt: row.created_at,
        addedBy: row.created_by_name,
        isByStaff: row.uploaded_by_staff === 1,
        modifiedAt: row.modified_at,
        scan: row.scan ?? '',
        problem: row.scan === 'infected' ? 'infected' : '',
      });
    }
    if (rows.length < PAGE) break;
    after = rows.at(-1)?.seq ?? after;
  }
  const titles = new Map(
    [...folders.values()].map(({ ids: own, path }) => [own.at(-1) ?? '', path.at(-1) ?? '']),
  );
  const paths = archivePaths(files, (id) => titles.get(id) ?? id);
  for (const [index, document] of found.entries()) document.path = `documents/${paths[index] ?? document.id}`;
  return found;
}
