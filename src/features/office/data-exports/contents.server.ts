import { senderOf } from '#features/documents/documents/senders.server.ts';
import { senderText } from '#features/base/people/sender-text.server.ts';
import { documentsOf } from '#features/documents/documents/scope.server.ts';
import { containersOf } from '#features/documents/folders/scope.server.ts';
import { folderTitle } from '#features/documents/folders/titles.server.ts';
import { mergedClients } from '#features/base/people/merged-clients.server.ts';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import { archiveNames } from '#platform/storage/archive-names.ts';
import { archivePaths } from '#platform/storage/archive-paths.ts';
import { openUndamaged } from '#platform/storage/blobs.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { GeneratedEntry, ZipEntry } from '#platform/storage/zip.server.ts';
import {
  filesOfClient,
  filesOfExport,
  folderOf,
  type Attached,
  type Content,
  type ExportedClient,
  type ExportScope,
} from './contributions.server.ts';
import type { ExportedDocument } from './internal/documents.ts';
import { clientIndex, firmIndex, type IndexedClient } from './internal/index-pages.server.ts';
import { FileList } from './internal/file-list.server.ts';
import { clientManifestCsv, clientManifestJson, firmManifestJson } from './internal/manifests.server.ts';
import { readme } from './internal/readme.server.ts';

type Entry = ZipEntry | GeneratedEntry;
/** Called after each file from the store, with the bytes of a document. */
type Progress = (size: number, isOmitted: boolean) => Promise<void>;

/**
 * The files of an export, one after the other, as they are read: what is about all of it at the top; the documents of
 * each client in their folders, and what the features contribute. In an export of the firm each client has a folder.
 * The last file of a folder is a manifest of the others.
 */
export function contentsOf(scope: ExportScope, onFile: Progress): AsyncGenerator<Entry, void> {
  return scope.clientId === null ? firmFiles(scope, onFile) : filesOfOne(scope, onFile);
}

/** The files of an export of one client. */
async function* filesOfOne(scope: ExportScope, onFile: Progress): AsyncGenerator<Entry, void> {
  const files = new FileList('');
  yield files.add({ name: 'README.txt', content: () => readme(scope) });
  for (const client of await clientsIn(scope)) {
    const more = topFiles(scope, client.ids, files);
    const { manifest } = yield* clientFiles(scope, client, { files, onFile, more });
    yield manifest;
  }
}

async function* firmFiles(scope: ExportScope, onFile: Progress): AsyncGenerator<Entry, void> {
  const files = new FileList('');
  yield files.add({ name: 'README.txt', content: () => readme(scope) });
  const clients = await clientsIn(scope);
  const folders = archiveNames(clients.map(({ name }) => name));
  const indexed: IndexedClient[] = [];
  for (const [index, client] of clients.entries()) {
    const folder = `clients/${folders[index] ?? client.id}/`;
    const own = new FileList(folder);
    const { manifest, ...sums } = yield* clientFiles(scope, client, { files: own, onFile });
    yield files.add(manifest);
    indexed.push({ ...client, ...sums, folder });
  }
  yield* topFiles(scope, null, files);
  yield files.add({ name: 'index.html', content: () => firmIndex(scope, indexed, files.list) });
  yield { name: 'manifest.json', content: () => firmManifestJson(scope, files.list) };
}

async function* topFiles(
  scope: ExportScope,
  clientIds: readonly string[] | null,
  files: FileList,
): AsyncGenerator<Entry, void> {
  for (const { name, content, attached } of filesOfExport(scope)) {
    yield* filled(files, name, content(scope, clientIds));
    if (attached) yield* inFolderOf(files, name, attached(scope, clientIds));
  }
}

/** The files that belong to the rows of another one. */
async function* inFolderOf(
  files: FileList,
  name: string,
  attached: AsyncIterable<Attached>,
): AsyncGenerator<Entry, void> {
  for await (const { name: own, content } of attached)
    yield files.add({ name: files.folder + folderOf(name) + own, content });
}

/** A file of a folder, unless it would be empty. */
async function* filled(files: FileList, name: string, content: Content): AsyncGenerator<Entry, void> {
  const pieces = content[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done === true) return;
  yield files.add({
    name: files.folder + name,
    content: async function* () {
      yield first.value;
      yield* { [Symbol.asyncIterator]: () => pieces };
    },
  });
}

/** A client before the paths of its documents are known. */
type FoundClient = Omit<ExportedClient, 'pathOf'>;

/** The clients of the scope by name, each with the ids of those that were merged into it. */
async function clientsIn({ actor, clientId }: ExportScope): Promise<FoundClient[]> {
  const rows = await db()
    .selectFrom('clients')
    .select(['client_id', 'name', 'code', 'archived_at'])
    .where('clients.client_id', 'in', clientIdsOf(actor))
    .$if(clientId !== null, (all) => all.where('clients.client_id', '=', clientId ?? ''))
    .orderBy('name_key')
    .orderBy('client_id')
    .execute();
  const merged = await mergedClients(actor.companyId);
  return rows.map(({ client_id: id, name, code, archived_at: archivedAt }) => ({
    id,
    name,
    code,
    archivedAt,
    ids: [id, ...(merged.get(id) ?? [])],
  }));
}

/** All files of a client but its manifest, which it returns with how many documents there are. */
async function* clientFiles(
  scope: ExportScope,
  found: FoundClient,
  { files, onFile, more }: { files: FileList; onFile: Progress; more?: AsyncIterable<Entry> },
): AsyncGenerator<Entry, { manifest: GeneratedEntry; documents: number; bytes: number }> {
  const { folder } = files;
  const folders = await foldersOf(scope, found);
  const documents = await documentsIn(scope, found, folders);
  for (const document of documents) {
    const bytes = document.problem === '' ? await openUndamaged(document.blobKey) : undefined;
    if (bytes) {
      const { size, crc32, modifiedAt } = document;
      yield { name: folder + document.path, size, crc32, modifiedAt, open: () => bytes };
    } else if (document.problem === '') document.problem = 'damaged';
    await onFile(document.size, document.problem !== '');
  }
  const included = documents.filter(({ problem }) => problem === '');
  const paths = new Map(included.map(({ id, path }) => [id, path]));
  const client = { ...found, pathOf: (id: string | null) => paths.get(id ?? '') ?? '' };
  yield* contributedFiles(scope, client, { files, onFile });
  if (more) yield* more;
  yield files.add({
    name: `${folder}index.html`,
    content: () => clientIndex(scope, client, { documents, files: files.list }),
  });
  yield files.add({ name: `${folder}manifest.csv`, content: () => clientManifestCsv(documents) });
  const titles = [...folders.values()].map(({ path }) => path.join('/'));
  const listed = { folders: titles, documents, files: files.list };
  return {
    manifest: {
      name: `${folder}manifest.json`,
      content: () => clientManifestJson(scope, client, listed),
    },
    documents: included.length,
    bytes: included.reduce((sum, { size }) => sum + size, 0),
  };
}

/** What the features contribute about a client. */
async function* contributedFiles(
  scope: ExportScope,
  client: ExportedClient,
  { files, onFile }: { files: FileList; onFile: Progress },
): AsyncGenerator<Entry, void> {
  for (const { name, content, attached } of filesOfClient(scope)) {
    yield* filled(files, name, content(scope, client));
    await onFile(0, false);
    if (!attached) continue;
    for await (const entry of inFolderOf(files, name, attached(scope, client))) {
      yield entry;
      await onFile(0, false);
    }
  }
}

interface Folder {
  /** The ids from the top to this one, and their titles. */
  ids: string[];
  path: string[];
}

/** The folders of a client by id; the client's own container has an empty path. */
async function foldersOf({ actor, lang }: ExportScope, { ids }: FoundClient): Promise<Map<string, Folder>> {
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
  { actor, lang }: ExportScope,
  { ids }: FoundClient,
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
      const { createdBy, askedBy } = senderOf(row);
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
        addedBy: senderText(lang, createdBy, askedBy),
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
