import {
  isDocument,
  type FiscalDocument,
  type FiscalEvent,
  type FiscalFile,
} from '#features/documents/fiscal-xml/fiscal-xml.ts';
import { readFiscalXml } from '#features/documents/fiscal-xml/read.server.ts';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { accessKeyOf } from './internal/rows.server.ts';
import { unpack } from './internal/packs.server.ts';
import { assertStorageOpen } from './ordered.server.ts';
import { copiesOf } from './settling.server.ts';

/** Maximum number of events that are read for a sheet. */
const MAX_EVENTS = 50;

/** The fiscal documents that the actor may see. */
const fiscalDocumentsOf = (actor: Actor) =>
  db().selectFrom('fiscal_documents').where('fiscal_documents.client_id', 'in', clientIdsOf(actor));

/** Finds a document of the actor; NOT_FOUND for any other, FORBIDDEN where the storage is not ordered. */
async function fiscalDocument(actor: Actor, documentId: string) {
  await assertStorageOpen(actor);
  const row = await fiscalDocumentsOf(actor)
    .selectAll('fiscal_documents')
    .where('document_id', '=', documentId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}
type FiscalDocumentRow = Awaited<ReturnType<typeof fiscalDocument>>;

/** Reads the bytes of one of a document's copies as they came in, by default of the best. */
export async function fiscalXml(
  actor: Actor,
  documentId: string,
  fileId?: string,
): Promise<{ name: string; bytes: Buffer }> {
  const row = await fiscalDocument(actor, documentId);
  const isCopy = fileId === undefined || (await copiesOf(documentId)).some((copy) => copy.file_id === fileId);
  if (!isCopy) throw notFound();
  const file = await fileOf(fileId ?? row.file_id);
  const name = row.access_key === '' ? file.name.replace(/(?:\.xml)?$/i, '.xml') : `${row.access_key}.xml`;
  return { name, bytes: await unpack(file) };
}

const fileOf = (fileId: string) =>
  db()
    .selectFrom('fiscal_files')
    .innerJoin('fiscal_packs', 'fiscal_packs.pack_id', 'fiscal_files.pack_id')
    .select([
      'fiscal_files.name',
      'fiscal_files.stored_at',
      'fiscal_packs.blob_key',
      'fiscal_files.pack_offset',
      'fiscal_files.pack_length',
    ])
    .where('fiscal_files.file_id', '=', fileId)
    .executeTakeFirstOrThrow();

/** The CNPJ or CPF of the recipient in a document, as its best copy says; empty without one. For jobs, which have no actor. */
export async function recipientIn(documentId: string): Promise<string> {
  const row = await db()
    .selectFrom('fiscal_documents')
    .select(['file_id', 'access_key'])
    .where('document_id', '=', documentId)
    .executeTakeFirst();
  if (!row) return '';
  const content = readFiscalXml(await unpack(await fileOf(row.file_id)));
  const documents = content.kind === 'fiscal' ? content.entries.filter(isDocument) : [];
  const own = documents.find((document) => accessKeyOf(document) === row.access_key);
  return own?.parties.find(({ role }) => role === 'recipient')?.taxId ?? '';
}

/** A document as a sheet: what its best copy says, with everything that is known to have happened to it. */
export async function fiscalSheet(actor: Actor, documentId: string) {
  const row = await fiscalDocument(actor, documentId);
  const file = await fileOf(row.file_id);
  const content = readFiscalXml(await unpack(file));
  const copies = await copiesOf(documentId);
  return {
    row,
    receivedAt: file.stored_at,
    fileName: file.name,
    copies: copies.map((copy) => ({ ...copy, isBest: copy.file_id === row.file_id })),
    sheet: content.kind === 'fiscal' ? await sheetOf(row, content) : undefined,
  };
}

/** The file with this document alone, whose state and events are those of all files. */
async function sheetOf(
  row: FiscalDocumentRow,
  file: FiscalFile & { kind: 'fiscal' },
): Promise<(FiscalFile & { kind: 'fiscal' }) | undefined> {
  const documents = file.entries.filter(isDocument);
  const own =
    documents.find((document) => row.access_key !== '' && accessKeyOf(document) === row.access_key) ??
    documents.find(({ number }) => row.number !== null && number === String(row.number)) ??
    documents[0];
  if (!own) return undefined;
  const events = await eventsOf(row, own);
  const stateAt = row.state_at === null ? own.stateAt : new Date(row.state_at).toISOString();
  const document: FiscalDocument = {
    ...own,
    events,
    ...(row.state !== own.state && { state: row.state, stateAt }),
  };
  return { ...file, entries: [document], leftOut: 0 };
}

/** The events of a document from all files of the firm, those of its own file first. */
async function eventsOf(row: FiscalDocumentRow, own: FiscalDocument): Promise<readonly FiscalEvent[]> {
  if (row.access_key === '') return own.events;
  const rows = await db()
    .selectFrom('fiscal_events')
    .select('file_id')
    .distinct()
    .where('company_id', '=', row.company_id)
    .where('access_key', '=', row.access_key)
    .where('file_id', '<>', row.file_id)
    .orderBy('file_id')
    .limit(MAX_EVENTS)
    .execute();
  const events = [...own.events];
  const identity = ({ type, sequence, at }: FiscalEvent): string => `${type} ${sequence} ${at}`;
  const known = new Set(events.map(identity));
  for (const { file_id: id } of rows) {
    const content = readFiscalXml(await unpack(await fileOf(id)));
    if (content.kind !== 'fiscal') continue;
    const found = content.entries.flatMap((entry) =>
      entry.kind === 'event' ? [entry] : isDocument(entry) ? entry.events : [],
    );
    for (const event of found)
      if (accessKeyOf(event) === row.access_key && !known.has(identity(event))) {
        known.add(identity(event));
        events.push(event);
      }
  }
  return events.toSorted((a, b) => a.at.localeCompare(b.at));
}
