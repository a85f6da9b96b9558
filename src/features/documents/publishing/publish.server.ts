import { setImmediate } from 'node:timers/promises';
import type { NotNull, Selectable } from 'kysely';
import { insertDocument, insertDocuments } from '#features/documents/documents/adding.server.ts';
import { namesTaken, nextFreeName } from '#features/documents/documents/free-names.server.ts';
import { nameKey } from '#features/documents/folders/names.server.ts';
import { permissionsIn } from '#features/documents/folders/permissions.server.ts';
import type { ContainerRow } from '#features/documents/folders/scope.server.ts';
import { actorNow, clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { markDeleted } from '#features/documents/trash/trash.server.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import {
  db,
  inBatches,
  inTransaction,
  isShared,
  isUniqueViolation,
} from '#platform/database/database.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { auditBatch, batchById, foldersOf, openBatch, ownBatch, publisherNow } from './batches.server.ts';
import { chosenFolder, folderAt } from './places.server.ts';
import { TAKE_BACK_MINUTES, type FileProblem } from './publishing.ts';

/** Begins to publish the files of a batch that have a client and no problem. EMPTY if there are none. */
export async function startPublishing(actor: Actor, batchId: string): Promise<void> {
  await inTransaction(async () => {
    await openBatch(actor, batchId);
    const { ready, clients } = await batchById(actor, batchId);
    if (ready === 0) throw new PortalError('EMPTY');
    await db()
      .updateTable('publish_batches')
      .set({ state: 'publishing', published_at: now() })
      .where('batch_id', '=', batchId)
      .execute();
    await auditBatch(actor, batchId, 'publishing.start', { files: ready, clients });
    await enqueue('publish', { batchId, contactId: actor.contactId }, null, actor.companyId);
  });
}

/**
 * The job that publishes a batch, some clients at a time: the documents of a client come in one transaction, or not at all,
 * and their notification later (notifying.server.ts). What is published is not published again when the job is repeated after a crash.
 */
export async function publishBatch(payload: unknown): Promise<void> {
  const { batchId, contactId } = payload as { batchId: string; contactId: string };
  for (;;) {
    const clientIds = await nextClients(batchId);
    if (clientIds.length === 0) return finish(batchId, 'published');
    if (!(await isPublishing(batchId))) return; // taken back in the middle
    const actor = await publisherNow(contactId);
    if (!actor) return finish(batchId, 'stopped');
    await publishTogether(actor, batchId, clientIds);
    await setImmediate(); // others are served in between
  }
}

/** How many documents share a transaction, for which the others of the firm wait: about 35 ms on SQLite. */
const MAX_TOGETHER = isShared ? 10 : 100;

type BatchRow = Awaited<ReturnType<typeof ownBatch>>;

/** The next clients to publish to: several while they have few files, at least one. */
async function nextClients(batchId: string): Promise<string[]> {
  const rows = await db()
    .selectFrom('publish_files')
    .select('client_id')
    .where('batch_id', '=', batchId)
    .where('client_id', 'is not', null)
    .where('problem', 'is', null)
    .where('document_id', 'is', null)
    .orderBy('client_id')
    .limit(MAX_TOGETHER + 1)
    .execute();
  const ids = [...new Set(rows.flatMap((row) => row.client_id ?? []))];
  // the last one may have more files than these
  return rows.length > MAX_TOGETHER && ids.length > 1 ? ids.slice(0, -1) : ids;
}

/** Publishes to some clients in one transaction; when one of them fails, to each alone. */
async function publishTogether(actor: Actor, batchId: string, clientIds: readonly string[]): Promise<void> {
  try {
    await inTransaction(async () => {
      const current = await actorNow(actor);
      const batch = await ownBatch(current, batchId);
      for (const clientId of clientIds) await publishAll(current, batch, clientId);
    });
  } catch (error) {
    if (!refusal(error) && !isUniqueViolation(error)) throw error;
    for (const clientId of clientIds) await publishToClient(actor, batchId, clientId);
  }
}

const isPublishing = async (batchId: string): Promise<boolean> =>
  (await db()
    .selectFrom('publish_batches')
    .select('batch_id')
    .where('batch_id', '=', batchId)
    .where('state', '=', 'publishing')
    .executeTakeFirst()) !== undefined;

/** Ends publishing. The contacts are notified of what was published after some minutes, unless it is taken back. */
const finish = (batchId: string, state: 'published' | 'stopped'): Promise<void> =>
  inTransaction(async () => {
    const due = now() + TAKE_BACK_MINUTES * MINUTE;
    const batch = await db()
      .updateTable('publish_batches')
      .set((e) => ({ state, notify_at: e.case().when('notify', '=', 1).then(due).else(null).end() }))
      .where('batch_id', '=', batchId)
      .where('state', '=', 'publishing')
      .returning(['company_id', 'notify'])
      .executeTakeFirst();
    if (batch?.notify === 1)
      await enqueue('publish-notify', { batchId }, `publish-notify:${batchId}`, batch.company_id, due);
  });

const MAX_TRIES = 100;

async function publishToClient(actor: Actor, batchId: string, clientId: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await inTransaction(async () => {
        const current = await actorNow(actor);
        await publishAll(current, await ownBatch(current, batchId), clientId);
      });
    } catch (error) {
      if (tries < MAX_TRIES && isUniqueViolation(error)) continue; // a name was taken meanwhile: again
      const problem = problemOf(error);
      if (!problem) throw error;
      await db()
        .updateTable('publish_files')
        .set({ problem })
        .where('batch_id', '=', batchId)
        .where('client_id', '=', clientId)
        .where('document_id', 'is', null)
        .execute();
      return;
    }
  }
}

function problemOf(error: unknown): FileProblem | undefined {
  const { code } = refusal(error) ?? {};
  if (code === 'GONE') return 'ARCHIVED';
  if (code === 'FORBIDDEN' || code === 'NOT_FOUND') return 'FORBIDDEN';
  return ['BAD_NAME', 'NAME_CONFLICT', 'TOO_DEEP', 'TOO_MANY_FOLDERS'].includes(code ?? '')
    ? 'FOLDER'
    : undefined;
}

/** Publishes the files of one client, in the open transaction. Their space has been counted since they were added. */
async function publishAll(actor: Actor, batch: BatchRow, clientId: string): Promise<void> {
  if (batch.state !== 'publishing') return; // taken back in the middle
  const client = await clientIdsOf(actor)
    .select('clients.archived_at')
    .where('clients.client_id', '=', clientId)
    .executeTakeFirst();
  if (!client) throw new PortalError('FORBIDDEN');
  if (client.archived_at !== null) throw new PortalError('GONE');
  const files = await db()
    .selectFrom('publish_files')
    .selectAll()
    .where('batch_id', '=', batch.batch_id)
    .where('client_id', '=', clientId)
    .where('problem', 'is', null)
    .where('document_id', 'is', null)
    .where('blob_key', 'is not', null)
    .$narrowType<{ blob_key: NotNull }>()
    .orderBy('name_key')
    .execute();
  for (const [folder, some] of Map.groupBy(files, (file) => file.folder ?? batch.folder))
    await insertFiles(actor, await placeOf(actor, batch, clientId, folder), some);
}

type FileRow = Selectable<Tables['publish_files']> & { blob_key: string };

/** Turns files of a batch into documents of a folder. Those whose names are taken there get the next free ones. */
async function insertFiles(actor: Actor, place: ContainerRow, files: readonly FileRow[]): Promise<void> {
  const taken = await namesTaken(
    place.container_id,
    files.map((file) => nameKey(file.name)),
  );
  const free = files.filter((file) => !taken.has(nameKey(file.name)));
  await insertDocuments(actor, place, free.map(documentOf));
  for (const file of files.filter((each) => taken.has(nameKey(each.name))))
    await insertDocument(actor, place, {
      ...documentOf(file),
      name: await nextFreeName(place, file.name),
    });
  for (const some of inBatches(files))
    await db()
      .updateTable('publish_files')
      .set((e) => ({
        document_id: e
          .selectFrom('documents')
          .select('document_id')
          .whereRef('documents.blob_key', '=', 'publish_files.blob_key'),
        blob_key: null,
      }))
      .where(
        'file_id',
        'in',
        some.map((file) => file.file_id),
      )
      .execute();
}

const documentOf = ({ name, mime_type: mime, blob_key: key, size, sha256, crc32 }: FileRow) => ({
  name,
  mime,
  blob: { key, size, sha256, crc32: Number(crc32) },
});

async function placeOf(
  actor: Actor,
  batch: BatchRow,
  clientId: string,
  folder: string,
): Promise<ContainerRow> {
  if (batch.container_id !== null) return chosenFolder(actor, clientId, batch.container_id);
  const place = await folderAt(actor, clientId, foldersOf({ folder, year: Number(batch.year) }));
  if (!(await permissionsIn(actor, place)).addContents) throw new PortalError('FORBIDDEN');
  return place;
}

/**
 * Moves the documents of a published batch to the trash, within a day; nobody is notified of them afterwards. It can be
 * done while the batch is being published: what is not published yet stays in it. GONE after a day.
 */
export async function undoPublishing(actor: Actor, batchId: string): Promise<number> {
  return inTransaction(async () => {
    const current = await actorNow(actor);
    const { isUndoable } = await batchById(current, batchId);
    if (!isUndoable) throw new PortalError('GONE');
    const rows = await db()
      .selectFrom('publish_files')
      .innerJoin('documents', 'documents.document_id', 'publish_files.document_id')
      .select('documents.document_id')
      .where('batch_id', '=', batchId)
      .where('documents.deleted_at', 'is', null)
      .where('documents.client_id', 'in', clientIdsOf(current))
      .execute();
    let count = 0;
    for (const some of inBatches(rows)) count += (await markDeleted(current, some)).size;
    await db()
      .updateTable('publish_batches')
      .set({ state: 'undone' })
      .where('batch_id', '=', batchId)
      .execute();
    await auditBatch(current, batchId, 'publishing.undo', { documents: count });
    return count;
  });
}
