import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { batchIn, createBatch, redraftBatch } from '#features/base/batches/batches.server.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { MINUTE } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import { commitBlob, putBlob, readBlob } from '#platform/storage/blobs.server.ts';
import { readTabular } from '#platform/tabular/read-tabular.server.ts';
import { readUpTo } from '#platform/storage/read-up-to.server.ts';
import { MAX_FILE_BYTES, type TablePlace, type TabularFile } from '#platform/tabular/tabular.ts';
import { importBatchKind } from './batch-kind.server.ts';
import type { FoundPlace, ImportKind } from './imports.ts';
import { rowId } from './internal/rows.server.ts';
import { recordKind } from './kinds.server.ts';

const UPLOADS = { most: 30, window: 10 * MINUTE };
const MAX_NAME = 200;

interface UploadedFile {
  kind: ImportKind;
  name: string;
  bytes: Readable;
  /** Where the table is in the file; what is not given is found. */
  place?: TablePlace;
  /** Gets where it was found. */
  found?: (place: FoundPlace) => void;
}

/**
 * Reads a file and stores its rows, to be imported when their columns are assigned and every row is checked.
 * FORBIDDEN; TOO_MANY beyond 30 files in ten minutes; INVALID with `file`, why it cannot be read, and perhaps
 * the `line`. Returns the id.
 */
export async function startImport(
  actor: Actor,
  { kind, name, bytes, place = {}, found }: UploadedFile,
): Promise<string> {
  recordKind(kind).assertMay(actor);
  await consume(`imports:${actor.contactId}`, UPLOADS.most, UPLOADS.window);
  const content = await bytesOf(bytes);
  const file = await readTable(actor, content, place);
  found?.(file);
  const blob = await putBlob(Readable.from([content]), MAX_FILE_BYTES);
  const importId = newId('import');
  await inTransaction(async () => {
    recordKind(kind).assertMay(await actorNow(actor));
    await commitBlob(blob);
    await createBatch(actor, importBatchKind, {
      batchId: importId,
      total: file.rows.length,
      state: 'draft',
    });
    await db()
      .insertInto('imports')
      .values({
        import_id: importId,
        kind,
        file_name: encryptFor('imports.file_name', importId, name.slice(0, MAX_NAME)),
        blob_key: blob.key,
        ...describe(importId, file),
        invites: 0,
      })
      .execute();
    await insertRows(importId, file.rows);
  });
  return importId;
}

/**
 * Reads another sheet, or from another line, of the file of an import that is not begun: its rows are replaced, and its
 * columns are assigned anew. As {@link startImport}; STALE once it has begun, NOT_FOUND.
 */
export async function readAgain(actor: Actor, importId: string, place: TablePlace): Promise<void> {
  const { input, state } = await batchIn(actor, importBatchKind, importId);
  if (input.blob_key === null || (state !== 'draft' && state !== 'ready')) throw new PortalError('STALE');
  await consume(`imports:${actor.contactId}`, UPLOADS.most, UPLOADS.window);
  const file = await readTable(actor, await buffer(readBlob(input.blob_key)), place);
  await inTransaction(async () => {
    await redraftBatch(actor, importBatchKind, { batchId: importId, total: file.rows.length });
    await db()
      .updateTable('imports')
      .set(describe(importId, file))
      .where('import_id', '=', importId)
      .execute();
    await db().deleteFrom('import_rows').where('import_id', '=', importId).execute();
    await insertRows(importId, file.rows);
  });
}

async function readTable(actor: Actor, content: Uint8Array, place: TablePlace): Promise<TabularFile> {
  const user = { person: actor.contactId, firm: actor.companyId };
  const file = await readTabular(content, user, place);
  if ('refused' in file) {
    const { refused, line } = file;
    throw new PortalError('INVALID', { file: refused, ...(line !== undefined && { line }) });
  }
  if (file.rows.length === 0) throw new PortalError('INVALID', { file: 'EMPTY' });
  return file;
}

/** The columns of a table that was read, none of them assigned, and where it is in its file. */
const describe = (importId: string, { columns, headingLine, sheet, sheets }: TabularFile) => ({
  columns: encryptFor('imports.columns', importId, JSON.stringify(columns)),
  place: encryptFor('imports.place', importId, JSON.stringify({ headingLine, sheet, sheets })),
  mapping: '[]',
});

async function bytesOf(source: Readable): Promise<Uint8Array> {
  const bytes = await readUpTo(source, MAX_FILE_BYTES);
  if (!bytes) throw new PortalError('INVALID', { file: 'TOO_LARGE' });
  return bytes;
}

async function insertRows(importId: string, rows: TabularFile['rows']): Promise<void> {
  const stored = rows.map(({ line, cells, problem }, index) => {
    const number = index + 1;
    return {
      import_id: importId,
      number,
      line,
      cells: encryptFor('import_rows.cells', rowId(importId, number), JSON.stringify(cells)),
      row_key: '',
      action: problem ? 'problem' : '',
      state: 'waiting',
      problems: JSON.stringify(problem ? [{ code: problem }] : []),
      changes: '[]',
      target_id: '',
      before_image: null,
    } as const;
  });
  for (const some of inBatches(stored)) await db().insertInto('import_rows').values(some).execute();
}
