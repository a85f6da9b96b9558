import { CSV_START, csvRow } from '#platform/tabular/csv-writer.ts';
import type { ExportedClient, ExportedDocument, ExportScope } from './scope.server.ts';

const isoOf = (instant: number): string => new Date(instant).toISOString();

/** The manifest of a client for programs: its folders, and every document with its digest. */
export async function* clientManifestJson(
  { firm, actor, createdAt }: ExportScope,
  client: ExportedClient,
  folders: readonly string[],
  documents: readonly ExportedDocument[],
): AsyncGenerator<string, void> {
  const head = {
    format: 1,
    firm: { id: firm.companyId, name: firm.name },
    client: {
      id: client.id,
      name: client.name,
      code: client.code,
      archivedAt: client.archivedAt === null ? null : isoOf(client.archivedAt),
    },
    exportedAt: isoOf(createdAt),
    exportedBy: actor.fullName,
    folders: folders.filter(Boolean).toSorted(),
  };
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "documents": [`;
  for (const [index, document] of documents.entries())
    yield `${index === 0 ? '' : ','}\n    ${JSON.stringify(described(document))}`;
  yield `${documents.length === 0 ? '' : '\n  '}]\n}\n`;
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
