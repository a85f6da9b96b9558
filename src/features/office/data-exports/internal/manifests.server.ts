import { CSV_START, csvRow } from '#platform/tabular/csv-writer.ts';
import type { ExportedClient, ExportScope } from '../contributions.server.ts';
import type { ExportedDocument } from './documents.ts';
import type { ListedFile } from './file-list.server.ts';

const isoOf = (instant: number): string => new Date(instant).toISOString();

const headOf = ({ firm, actor, createdAt }: ExportScope) => ({
  format: 1,
  firm: { id: firm.companyId, name: firm.name },
  exportedAt: isoOf(createdAt),
  exportedBy: actor.fullName,
});

/** The manifest of a client for programs: its folders, every document, and all other files with their digests. */
export async function* clientManifestJson(
  scope: ExportScope,
  client: Pick<ExportedClient, 'id' | 'name' | 'code' | 'archivedAt'>,
  {
    folders,
    documents,
    files,
  }: {
    folders: readonly string[];
    documents: readonly ExportedDocument[];
    files: readonly ListedFile[];
  },
): AsyncGenerator<string, void> {
  const head = {
    ...headOf(scope),
    client: {
      id: client.id,
      name: client.name,
      code: client.code,
      archivedAt: client.archivedAt === null ? null : isoOf(client.archivedAt),
    },
    folders: folders.filter(Boolean).toSorted(),
  };
  yield* withLists(head, { documents: documents.map(described), files });
}

/** The manifest of an export of the firm: the files at the top, and the manifests of the clients. */
export const firmManifestJson = (
  scope: ExportScope,
  files: readonly ListedFile[],
): AsyncGenerator<string, void> => withLists(headOf(scope), { files });

/** An object with lists at its end, one item a line. */
async function* withLists(
  head: object,
  lists: Readonly<Record<string, readonly object[]>>,
): AsyncGenerator<string, void> {
  yield JSON.stringify(head, null, 2).slice(0, -2);
  for (const [name, items] of Object.entries(lists)) {
    yield `,\n  ${JSON.stringify(name)}: [`;
    for (const [index, item] of items.entries())
      yield `${index === 0 ? '' : ','}\n    ${JSON.stringify(item)}`;
    yield `${items.length === 0 ? '' : '\n  '}]`;
  }
  yield '\n}\n';
}

const described = (document: ExportedDocument) => ({
  path: document.problem === '' ? document.path : null,
  name: document.name,
  id: document.id,
  folder: document.folder,
  type: document.mimeType,
  size: document.size,
  sha256: document.sha256,
  addedAt: isoOf(document.addedAt),
  addedBy: document.addedBy,
  addedByFirm: document.isByStaff,
  modifiedAt: isoOf(document.modifiedAt),
  virusScan: document.scan,
  omitted: document.problem,
});

/** The same list of documents as a table. Its columns are named as in the JSON, so that programs read both. */
export async function* clientManifestCsv(
  documents: readonly ExportedDocument[],
): AsyncGenerator<string, void> {
  const columns = [
    'path',
    'name',
    'id',
    'folder',
    'type',
    'size',
    'sha256',
    'addedAt',
    'addedBy',
    'addedByFirm',
    'modifiedAt',
    'virusScan',
    'omitted',
  ] as const;
  yield CSV_START + csvRow(columns);
  for (const document of documents) {
    const row = described(document);
    yield csvRow(
      columns.map((column) => (typeof row[column] === 'number' ? row[column] : String(row[column] ?? ''))),
    );
  }
}
