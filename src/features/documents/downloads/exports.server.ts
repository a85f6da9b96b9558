import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { archiveOf, noteExported, type ArchiveFile } from './archive.server.ts';
import { assertMayFetch, countFetched } from './allowance.server.ts';
import { documentsByIds } from '#features/documents/documents/documents.server.ts';
import { actorNow, actorOf } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { DAY, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { MAX_BYTES, type ExportJob } from './downloads.ts';
import { giveUpStalled, placeInLine, startWaiting } from './queue.server.ts';

/*
 * Several documents as one archive. A job reads each of them to its end, a few at a time so that mails are
 * not delayed; nothing is built on disk: the archive is written while it is downloaded. Permissions are
 * checked when the job is created, when it reads, and when the archive is downloaded.
 */

/** Documents per run of the job. */
const PER_TURN = 25;
const STARTS = { most: 60, window: 10 * MINUTE };

const files = z.array(z.strictObject({ id: z.string(), name: z.string() }));
const places = z.array(z.number().int());
const payload = z.strictObject({ exportId: z.string() });

/**
 * Starts a job over these documents, or queues it. NOT_FOUND unless the actor may see every one; TOO_LARGE
 * beyond 4 GiB (`most`); TOO_MANY beyond 60 in ten minutes; STEP_UP if `session`, which will download it,
 * must authenticate again first.
 */
export async function startExport(actor: Actor, ids: readonly string[], session?: Session): Promise<string> {
  const documents = await documentsByIds(actor, [...new Set(ids)]);
  if (documents.length === 0) throw new PortalError('EMPTY');
  if (documents.reduce((sum, { originalItemSize }) => sum + originalItemSize, 0) > MAX_BYTES)
    throw new PortalError('TOO_LARGE', { most: MAX_BYTES });
  if (session)
    await assertMayFetch(
      session,
      documents.map(({ originalItemSize }) => originalItemSize),
    );
  await consume(`exports:${actor.contactId}`, STARTS.most, STARTS.window);
  const exportId = newId('export');
  await inTransaction(async () => {
    await documentsByIds(
      await actorNow(actor),
      documents.map(({ id }) => id),
    );
    await db()
      .insertInto('exports')
      .values({
        export_id: exportId,
        company_id: actor.companyId,
        contact_id: actor.contactId,
        status: 'PENDING',
        files: JSON.stringify(documents.map(({ id, name }) => ({ id, name }))),
        missing: '[]',
        checked: 0,
        total: documents.length,
        size: 0,
        created_at: now(),
        ends_at: now() + DAY,
      })
      .execute();
    await startWaiting(actor.companyId);
  });
  return exportId;
}

/** Returns the progress of a job of the actor's own; NOT_FOUND for every other, and after a day. */
export async function exportOf(actor: Actor, exportId: string): Promise<ExportJob & { fileIDs: string[] }> {
  const row = await ownRow(actor, exportId);
  const all = files.parse(JSON.parse(row.files));
  return {
    jobId: row.export_id,
    jobStatus: row.status,
    place:
      row.status === 'PENDING' && row.moved_at === null ? await placeInLine(row.company_id, exportId) : 0,
    progress: { checked: row.checked, total: row.total },
    size: row.size,
    missing: places.parse(JSON.parse(row.missing)).flatMap((place) => all[place]?.name ?? []),
    fileIDs: all.map(({ id }) => id),
  };
}

/** Cancels a job of the actor's own; its result is no longer available. A download in flight is completed. */
export async function cancelExport(actor: Actor, exportId: string): Promise<void> {
  await inTransaction(async () => {
    const { status } = await ownRow(actor, exportId);
    await db()
      .updateTable('exports')
      .set({ status: 'CANCELLED' })
      .where('export_id', '=', exportId)
      .execute();
    if (status === 'PENDING') await startWaiting(actor.companyId);
  });
}

/**
 * Returns the documents of a completely or partly successful job. NOT_FOUND before that, after a day, and for
 * everybody but its owner. If a document has become unavailable since, FORBIDDEN: the job is then a
 * PARTIAL_SUCCESS, or an ERROR, that names it. `fetches` is false for HEAD requests, which issue no receipt
 * and mark nothing read. STEP_UP beyond the hourly download allowance.
 */
export async function openExport(
  session: Session,
  exportId: string,
  fetches: boolean,
): Promise<ArchiveFile[]> {
  const { actor } = session;
  const row = await ownRow(actor, exportId);
  if (row.status !== 'SUCCESS' && row.status !== 'PARTIAL_SUCCESS') throw notFound();
  const all = files.parse(JSON.parse(row.files));
  const missing = new Set(places.parse(JSON.parse(row.missing)));
  const found = await archiveOf(
    actor,
    all.filter((_, place) => !missing.has(place)).map(({ id }) => id),
  );
  const there = new Set(found.map(({ documentId }) => documentId));
  const lost = [...all.keys()].filter((place) => !missing.has(place) && !there.has(all[place]?.id ?? ''));
  if (lost.length > 0) {
    const without = [...missing, ...lost].toSorted((a, b) => a - b);
    const size = found.reduce((sum, file) => sum + file.size, 0);
    await db()
      .updateTable('exports')
      .set({ missing: JSON.stringify(without), status: outcome(without.length, all.length), size })
      .where('export_id', '=', exportId)
      .where('status', '=', row.status)
      .where('missing', '=', row.missing)
      .execute();
    throw new PortalError('FORBIDDEN');
  }
  if (!fetches) return found;
  const sizes = found.map(({ size }) => size);
  await countFetched(session, sizes, async () => noteExported(await actorNow(actor), exportId, found));
  return found;
}

const outcome = (missing: number, total: number): 'SUCCESS' | 'PARTIAL_SUCCESS' | 'ERROR' =>
  missing === 0 ? 'SUCCESS' : missing < total ? 'PARTIAL_SUCCESS' : 'ERROR';

async function ownRow(actor: Actor, exportId: string) {
  const row = await db()
    .selectFrom('exports')
    .selectAll()
    .where('export_id', '=', exportId)
    .where('contact_id', '=', actor.contactId)
    .where('ends_at', '>', now())
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** Removes jobs a day after they ended, and gives up those without progress. */
export async function sweepExports(): Promise<void> {
  await giveUpStalled();
  await db().deleteFrom('exports').where('ends_at', '<=', now()).execute();
}

/** The job of an export. */
export const continueExport = (given: unknown): Promise<void> => checkSome(payload.parse(given).exportId);

/**
 * Reads the next documents of a job to their ends, and updates its progress. Of two workers on one job, the
 * second one changes nothing.
 */
async function checkSome(exportId: string): Promise<void> {
  const row = await db()
    .selectFrom('exports')
    .selectAll()
    .where('export_id', '=', exportId)
    .where('status', '=', 'PENDING')
    .executeTakeFirst();
  if (!row) return;
  const all = files.parse(JSON.parse(row.files));
  const turn = all.slice(row.checked, row.checked + PER_TURN);
  const there = new Map(
    (
      await archiveOf(
        await actorOf(row.contact_id),
        turn.map(({ id }) => id),
      )
    ).map((file) => [file.documentId, file]),
  );
  const missing = places.parse(JSON.parse(row.missing));
  let { checked, size } = row;
  for (const { id } of turn) {
    const file = there.get(id);
    if (file && (await isWhole(file, exportId))) size += file.size;
    else missing.push(checked);
    checked += 1;
  }
  await inTransaction(async () => {
    const { numUpdatedRows } = await db()
      .updateTable('exports')
      .set({
        checked,
        size,
        missing: JSON.stringify(missing),
        moved_at: now(),
        ...(checked === all.length && { status: outcome(missing.length, all.length) }),
      })
      .where('export_id', '=', exportId)
      .where('status', '=', 'PENDING')
      .where('checked', '=', row.checked)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    if (checked < all.length) await enqueue('export', { exportId }, `${exportId}-${checked}`, row.company_id);
    else await startWaiting(row.company_id);
  });
}

/** Checks that every byte of a document can be read and is as it was uploaded. */
async function isWhole(file: ArchiveFile, job: string): Promise<boolean> {
  try {
    let size = 0;
    let crc = 0;
    for await (const chunk of file.open() as AsyncIterable<Buffer>) {
      size += chunk.length;
      crc = crc32(chunk, crc);
    }
    return size === file.size && crc === file.crc32;
  } catch (error) {
    // the database or the store is unavailable: the job is retried
    if (refusal(error)?.code === 'UNAVAILABLE') throw error;
    log.error({ err: error, event: 'export.unreadable', job });
    return false;
  }
}
