import { nameIsAcceptable } from '#features/documents/folders/rules.ts';
import { actorNow, actorOf, clientIdsOf } from '#features/base/people/people.server.ts';
import { isReadOnly, type Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { releaseBlobs } from '#platform/storage/blobs.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { notFound, PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { nameFor } from './batch-names.ts';
import { evidenceList } from './evidence.ts';
import { containerIdFor, type Place } from './places.server.ts';
import {
  KEPT_DAYS,
  UNDO_DAYS,
  type Batch,
  type BatchFile,
  type FileProblem,
  type NewBatch,
} from './publishing.ts';

/** Creates an empty batch. FORBIDDEN for contacts and staff who may not publish, BAD_NAME for its folder. */
export async function createBatch(actor: Actor, input: NewBatch): Promise<string> {
  assertMayPublish(actor);
  for (const name of foldersOf(input))
    if (!nameIsAcceptable(name)) throw new PortalError('BAD_NAME', { name });
  return insertBatch(actor, { ...input, clientId: null, containerId: null });
}

/** Creates an empty batch for the firm's folders and this year, which {@link endBeginning} names. FORBIDDEN. */
export const beginBatch = (actor: Actor): Promise<string> =>
  createBatch(actor, {
    name: '–',
    folder: '',
    year: new Date(now()).getUTCFullYear(),
    notify: true,
    message: '',
  });

/** Names a batch that was begun after the files that it got first, or removes it if it got none. */
export async function endBeginning(
  actor: Actor,
  batchId: string,
  files: readonly { name: string }[],
): Promise<void> {
  await inTransaction(async () => {
    await openBatch(actor, batchId);
    if (files.length === 0) return removeBatch(batchId);
    await db()
      .updateTable('publish_batches')
      .set({ name: nameFor(files.map(({ name }) => name)) })
      .where('batch_id', '=', batchId)
      .execute();
  });
}

/**
 * Creates an empty batch for one client, with the folder if it is new. NOT_FOUND for a client or folder of someone
 * else, GONE for an archived client, FORBIDDEN, and what creating a folder refuses: BAD_NAME, NAME_CONFLICT …
 */
export async function createClientBatch(
  actor: Actor,
  { clientId, place, ...input }: Pick<NewBatch, 'notify' | 'message'> & { clientId: string; place: Place },
): Promise<string> {
  assertMayPublish(actor);
  return inTransaction(async () => {
    const client = await clientIdsOf(actor)
      .select(['clients.name', 'clients.archived_at'])
      .where('clients.client_id', '=', clientId)
      .executeTakeFirst();
    if (!client) throw notFound();
    if (client.archived_at !== null) throw new PortalError('GONE');
    const containerId = await containerIdFor(actor, clientId, place);
    const year = new Date(now()).getUTCFullYear();
    return insertBatch(actor, { ...input, name: client.name, folder: '', year, clientId, containerId });
  });
}

async function insertBatch(
  actor: Actor,
  input: NewBatch & { clientId: string | null; containerId: string | null },
): Promise<string> {
  const batchId = newId('batch');
  await inTransaction(() =>
    db()
      .insertInto('publish_batches')
      .values({
        batch_id: batchId,
        company_id: actor.companyId,
        created_by: actor.contactId,
        name: input.name,
        folder: input.folder,
        year: input.year,
        client_id: input.clientId,
        container_id: input.containerId,
        message: input.message === '' ? null : encryptFor('publish_batches.message', batchId, input.message),
        notify: input.notify ? 1 : 0,
        state: 'open',
        created_at: now(),
        published_at: null,
        notify_at: null,
        notified_count: null,
      })
      .execute(),
  );
  return batchId;
}

/**
 * Moves the files of a published batch that were not published into a new one with the same settings, and returns its id:
 * so that those that needed a decision can follow. EDIT_CONFLICT while it is open, EMPTY if there are none.
 */
export async function continueWithRest(actor: Actor, batchId: string): Promise<string> {
  return inTransaction(async () => {
    const row = await ownBatch(actor, batchId);
    if (!['published', 'stopped', 'undone'].includes(row.state)) throw new PortalError('EDIT_CONFLICT');
    const restId = await insertBatch(actor, {
      name: row.name,
      folder: row.folder,
      year: Number(row.year),
      notify: row.notify === 1,
      message: messageOf(row),
      clientId: row.client_id,
      containerId: row.container_id,
    });
    const { numUpdatedRows } = await db()
      .updateTable('publish_files')
      .set({ batch_id: restId })
      .where('batch_id', '=', batchId)
      .where('document_id', 'is', null)
      .where('blob_key', 'is not', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new PortalError('EMPTY');
    return restId;
  });
}

/** The message of a batch to the contacts; empty for none. */
export const messageOf = (row: { batch_id: string; message: string | null }): string =>
  row.message === null ? '' : decryptFrom('publish_batches.message', row.batch_id, row.message);

function assertMayPublish(actor: Actor): void {
  if (!actor.staff || isReadOnly(actor)) throw new PortalError('FORBIDDEN');
}

/** The actor of a job about a batch; undefined if they have lost the right to publish since. */
export async function publisherNow(contactId: string): Promise<Actor | undefined> {
  try {
    const actor = await actorNow(await actorOf(contactId));
    assertMayPublish(actor);
    return actor;
  } catch (error) {
    if (!refusal(error)) throw error;
    return undefined;
  }
}

/** The folder names of a batch's path, the outermost first. */
export const foldersOf = ({ folder, year }: Pick<NewBatch, 'folder' | 'year'>): string[] =>
  folder
    .split('/')
    .map((name) => name.trim().replaceAll('{year}', String(year)).normalize('NFC'))
    .filter((name) => name !== '');

/** The row of a batch of the actor; NOT_FOUND for that of someone else. */
export async function ownBatch(actor: Actor, batchId: string) {
  assertMayPublish(actor);
  const row = await db()
    .selectFrom('publish_batches')
    .selectAll()
    .where('batch_id', '=', batchId)
    .where('created_by', '=', actor.contactId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

export async function openBatch(actor: Actor, batchId: string) {
  const row = await ownBatch(actor, batchId);
  if (row.state !== 'open') throw new PortalError('EDIT_CONFLICT');
  return row;
}

/** Removes a file from an open batch. */
export async function removeFile(actor: Actor, batchId: string, fileId: string): Promise<void> {
  await inTransaction(async () => {
    await openBatch(actor, batchId);
    await removeFiles([fileId], batchId);
    await findDuplicates(batchId);
  });
}

async function removeFiles(ids: readonly string[], batchId: string): Promise<void> {
  const gone = await db()
    .deleteFrom('publish_files')
    .where('file_id', 'in', ids)
    .where('batch_id', '=', batchId)
    .returning('blob_key')
    .execute();
  await releaseBlobs(gone.flatMap((row) => row.blob_key ?? []));
}

/** Deletes an open batch with its files. */
export async function deleteBatch(actor: Actor, batchId: string): Promise<void> {
  await inTransaction(async () => {
    await openBatch(actor, batchId);
    await removeBatch(batchId);
  });
}

async function removeBatch(batchId: string): Promise<void> {
  const files = await db()
    .selectFrom('publish_files')
    .select('file_id')
    .where('batch_id', '=', batchId)
    .execute();
  for (const some of inBatches(files))
    await removeFiles(
      some.map((row) => row.file_id),
      batchId,
    );
  await db().deleteFrom('publish_batches').where('batch_id', '=', batchId).execute();
}

/** Removes batches after thirty days: the files that were not published, and the names of all. */
export async function removeOldBatches(): Promise<void> {
  const old = await db()
    .selectFrom('publish_batches')
    .select('batch_id')
    .where('state', '!=', 'publishing')
    .where('created_at', '<', now() - KEPT_DAYS * DAY)
    .execute();
  for (const { batch_id: id } of old) await inTransaction(() => removeBatch(id));
}

/**
 * Assigns a file to a client by hand, as a person confirms or chooses it. NOT_FOUND for a client of someone else. This is
 * the only way in which a file gets a client that is not certain.
 */
export async function assignFile(
  actor: Actor,
  batchId: string,
  { fileId, clientId }: { fileId: string; clientId: string },
): Promise<void> {
  await inTransaction(async () => {
    await openBatch(actor, batchId);
    const client = await clientIdsOf(actor)
      .where('clients.client_id', '=', clientId)
      .where('clients.archived_at', 'is', null)
      .executeTakeFirst();
    if (!client) throw notFound();
    const { numUpdatedRows } = await db()
      .updateTable('publish_files')
      .set({ client_id: clientId, matched_by: 'hand', problem: null })
      .where('batch_id', '=', batchId)
      .where('file_id', '=', fileId)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw notFound();
    await findDuplicates(batchId);
  });
}

/**
 * Marks the second file of the same content for the same client, and no other, as a duplicate. A file whose client a
 * person must confirm is compared then.
 */
export async function findDuplicates(batchId: string): Promise<void> {
  const files = await db()
    .selectFrom('publish_files')
    .select(['file_id', 'client_id', 'sha256', 'problem'])
    .where('batch_id', '=', batchId)
    .where('client_id', 'is not', null)
    .where((e) => e.or([e('problem', 'is', null), e('problem', '=', 'DUPLICATE')]))
    .orderBy('name_key')
    .execute();
  const seen = new Set<string>();
  for (const { file_id: id, client_id: client, sha256, problem } of files) {
    const key = `${client} ${sha256}`;
    const found = seen.has(key) ? ('DUPLICATE' as const) : null;
    seen.add(key);
    if (found !== problem)
      await db().updateTable('publish_files').set({ problem: found }).where('file_id', '=', id).execute();
  }
}

const batches = () =>
  db()
    .selectFrom('publish_batches')
    .leftJoin('publish_files', 'publish_files.batch_id', 'publish_batches.batch_id')
    .groupBy([
      'publish_batches.batch_id',
      'publish_batches.name',
      'publish_batches.folder',
      'publish_batches.year',
      'publish_batches.client_id',
      'publish_batches.message',
      'publish_batches.notify',
      'publish_batches.state',
      'publish_batches.created_at',
      'publish_batches.published_at',
      'publish_batches.notify_at',
      'publish_batches.notified_count',
    ])
    .select((e) => [
      'publish_batches.batch_id',
      'publish_batches.name',
      'publish_batches.folder',
      'publish_batches.year',
      'publish_batches.client_id',
      'publish_batches.message',
      'publish_batches.notify',
      'publish_batches.state',
      'publish_batches.created_at',
      'publish_batches.published_at',
      'publish_batches.notify_at',
      'publish_batches.notified_count',
      e.fn.count('publish_files.file_id').as('files'),
      e.fn.count('publish_files.problem').as('problems'),
      e.fn
        .count('publish_files.file_id')
        .filterWhere((f) =>
          f.and([f('publish_files.client_id', 'is not', null), f('publish_files.problem', 'is', null)]),
        )
        .as('ready'),
      e.fn.count('publish_files.document_id').as('published'),
      e.fn
        .count('publish_files.client_id')
        .filterWhere('publish_files.problem', 'is', null)
        .distinct()
        .as('clients'),
      e.fn
        .count('publish_files.file_id')
        .filterWhere('publish_files.problem', 'in', UNSETTLED)
        .as('unsettled'),
      e.fn
        .count('publish_files.file_id')
        .filterWhere((f) =>
          f.and([f('publish_files.client_id', 'is', null), f('publish_files.problem', 'is', null)]),
        )
        .as('unmatched'),
    ]);

/** What a person settles, one file at a time. */
const UNSETTLED: readonly FileProblem[] = ['CHECK', 'SEVERAL', 'OTHER', 'ARCHIVED', 'NO_MATCH'];

type BatchRow = Awaited<ReturnType<ReturnType<typeof batches>['execute']>>[number];

const MAX_LISTED = 100;

/** Lists the actor's newest batches. */
export async function listBatches(actor: Actor): Promise<Batch[]> {
  assertMayPublish(actor);
  const rows = await batches()
    .where('created_by', '=', actor.contactId)
    .orderBy('publish_batches.created_at', 'desc')
    .orderBy('publish_batches.batch_id')
    .limit(MAX_LISTED)
    .execute();
  return rows.map(present);
}

export async function batchById(actor: Actor, batchId: string): Promise<Batch> {
  await ownBatch(actor, batchId);
  return present(await batches().where('publish_batches.batch_id', '=', batchId).executeTakeFirstOrThrow());
}

const present = (row: BatchRow): Batch => ({
  id: row.batch_id,
  name: row.name,
  folder: row.folder,
  year: Number(row.year),
  clientId: row.client_id,
  message: messageOf(row),
  notify: row.notify === 1,
  state: row.state,
  createdDate: new Date(row.created_at).toISOString(),
  publishedDate: row.published_at === null ? null : new Date(row.published_at).toISOString(),
  files: Number(row.files),
  ready: Number(row.ready),
  problems: Number(row.problems),
  unsettled: Number(row.unsettled),
  unmatched: Number(row.unmatched),
  published: Number(row.published),
  clients: Number(row.clients),
  notifyDate:
    row.notify_at === null || row.notified_count !== null ? null : new Date(row.notify_at).toISOString(),
  notified: row.notified_count === null ? null : Number(row.notified_count),
  isUndoable:
    ['publishing', 'published', 'stopped'].includes(row.state) &&
    Number(row.published) > 0 &&
    (row.published_at ?? 0) > now() - UNDO_DAYS * DAY,
});

export const PAGE = 100;

/** Lists one page of a batch's files: those that a person must settle first, then those with another problem. */
export async function listFiles(actor: Actor, batchId: string, from: number): Promise<BatchFile[]> {
  await ownBatch(actor, batchId);
  const rows = await db()
    .selectFrom('publish_files')
    .leftJoin('clients', 'clients.client_id', 'publish_files.client_id')
    .select([
      'publish_files.file_id',
      'publish_files.name',
      'publish_files.size',
      'publish_files.client_id',
      'publish_files.matched_by',
      'publish_files.folder',
      'publish_files.problem',
      'publish_files.evidence',
      'publish_files.document_id',
      'clients.name as client_name',
    ])
    .where('batch_id', '=', batchId)
    .orderBy((e) =>
      e
        .case()
        .when('publish_files.problem', 'in', ['CHECK', 'SEVERAL', 'OTHER'])
        .then(0)
        .when('publish_files.problem', 'is not', null)
        .then(1)
        .when('publish_files.client_id', 'is', null)
        .then(2)
        .else(3)
        .end(),
    )
    .orderBy('publish_files.name_key')
    .limit(PAGE)
    .offset(from)
    .execute();
  return rows.map((row) => ({
    id: row.file_id,
    name: row.name,
    size: row.size,
    clientId: row.client_id,
    clientName: row.client_name,
    matchedBy: row.matched_by,
    folder: row.folder,
    problem: row.problem,
    evidence: evidenceList.parse(JSON.parse(row.evidence)),
    documentId: row.document_id,
  }));
}

/** Audits what happened to a batch. */
export const auditBatch = (
  actor: Actor,
  batchId: string,
  action: 'publishing.start' | 'publishing.undo',
  details: Record<string, number>,
): Promise<void> =>
  audit({ companyId: actor.companyId, actor: actor.contactId, action, target: batchId, details });
