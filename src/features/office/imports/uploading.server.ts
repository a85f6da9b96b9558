import type { Readable } from 'node:stream';
import { createBatch } from '#features/base/batches/batches.server.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { MINUTE } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import { readTabular } from '#platform/tabular/read-tabular.server.ts';
import { MAX_FILE_BYTES, type TablePlace, type TabularFile } from '#platform/tabular/tabular.ts';
import { importBatchKind } from './batch-kind.server.ts';
import type { ImportKind } from './imports.ts';
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

export type FoundPlace = Pick<TabularFile, 'headingLine' | 'sheet' | 'sheets'>;

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
  const user = { person: actor.contactId, firm: actor.companyId };
  const file = await readTabular(await bytesOf(bytes), user, place);
  if ('refused' in file) {
    const { refused, line } = file;
    throw new PortalError('INVALID', { file: refused, ...(line !== undefined && { line }) });
  }
  if (file.rows.length === 0) throw new PortalError('INVALID', { file: 'EMPTY' });
  found?.(file);
  const importId = newId('import');
  await inTransaction(async () => {
    recordKind(kind).assertMay(await actorNow(actor));
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
        columns: encryptFor('imports.columns', importId, JSON.stringify(file.columns)),
        mapping: '[]',
        invites: 0,
      })
      .execute();
    await insertRows(importId, file.rows);
  });
  return importId;
}

async function bytesOf(source: Readable): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_FILE_BYTES) throw new PortalError('INVALID', { file: 'TOO_LARGE' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
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
