import type { Readable } from 'node:stream';
import { actorNow } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { MINUTE, now } from '#platform/clock.server.ts';
import { newId } from '#platform/crypto.server.ts';
import { db, inBatches, inTransaction } from '#platform/database.server.ts';
import { encryptFor } from '#platform/encryption.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { consume } from '#platform/limits.server.ts';
import { readTabular } from '#platform/tabular/read-tabular.server.ts';
import { MAX_FILE_BYTES, type TabularFile } from '#platform/tabular/tabular.ts';
import type { ImportKind } from './imports.ts';
import { rowId } from './internal/rows.server.ts';
import { RECORD_KINDS } from './kinds.server.ts';

const UPLOADS = { most: 30, window: 10 * MINUTE };
const MAX_NAME = 200;

interface UploadedFile {
  kind: ImportKind;
  name: string;
  bytes: Readable;
}

/**
 * Reads a file and stores its rows, to be imported when their columns are assigned and every row is checked.
 * FORBIDDEN; TOO_MANY beyond 30 files in ten minutes; INVALID with `file`, why it cannot be read, and perhaps
 * the `line`. Returns the id.
 */
export async function startImport(actor: Actor, { kind, name, bytes }: UploadedFile): Promise<string> {
  RECORD_KINDS[kind].assertMay(actor);
  await consume(`imports:${actor.contactId}`, UPLOADS.most, UPLOADS.window);
  const file = await readTabular(await bytesOf(bytes), {
    person: actor.contactId,
    firm: actor.companyId,
  });
  if ('refused' in file) {
    const { refused, line } = file;
    throw new PortalError('INVALID', { file: refused, ...(line !== undefined && { line }) });
  }
  if (file.rows.length === 0) throw new PortalError('INVALID', { file: 'EMPTY' });
  const importId = newId('import');
  await inTransaction(async () => {
    RECORD_KINDS[kind].assertMay(await actorNow(actor));
    await db()
      .insertInto('imports')
      .values({
        import_id: importId,
        company_id: actor.companyId,
        contact_id: actor.contactId,
        kind,
        state: 'mapping',
        file_name: encryptFor('imports.file_name', importId, name.slice(0, MAX_NAME)),
        columns: encryptFor('imports.columns', importId, JSON.stringify(file.columns)),
        mapping: '[]',
        total: file.rows.length,
        position: 0,
        invites: 0,
        created_at: now(),
        moved_at: now(),
        finished_at: null,
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
