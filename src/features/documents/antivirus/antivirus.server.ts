import { sql } from 'kysely';
import { z } from 'zod';
import type { ScanState } from '#features/documents/documents/documents.ts';
import { readBlob } from '#platform/storage/blobs.server.ts';
import { isScanningEnabled, pingScanner, scan } from '#platform/storage/clamd.server.ts';
import { DAY, now, SECOND } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { enqueue, jobBacklog } from '#platform/jobs/jobs.server.ts';
import { log } from '#platform/monitoring/log.server.ts';

/*
 * Documents are scanned after they were stored (threat-model.md T53): an unavailable scanner prevents no
 * upload, but only clean documents can be shared by link. Jobs are retried for three days.
 */

/** Schedules the scan of a new document in the open transaction. */
export async function scanLater({
  documentId,
  companyId,
}: {
  documentId: string;
  companyId: string;
}): Promise<void> {
  if (isScanningEnabled()) await enqueue('scan', { documentId }, `scan:${documentId}`, companyId);
}

const VERDICTS = { clean: 'clean', infected: 'infected', 'too large': 'unscanned' } as const satisfies Record<
  string,
  ScanState
>;
const payload = z.strictObject({ documentId: z.string() });

/** The job that scans a new document. */
export const scanNew = (given: unknown): Promise<void> => scanOne(payload.parse(given).documentId);

async function scanOne(documentId: string): Promise<void> {
  const row = await db()
    .selectFrom('documents')
    .select('blob_key')
    .where('document_id', '=', documentId)
    .where('scan', '=', 'pending')
    .where('purged_at', 'is', null)
    .executeTakeFirst();
  if (!row || !isScanningEnabled()) return;
  const verdict = await verdictOn(row.blob_key);
  await db()
    .updateTable('documents')
    .set({ scan: verdict })
    .where('document_id', '=', documentId)
    .where('scan', '=', 'pending')
    .execute();
}

/** Scans the bytes of a file. Throws while clamd is unavailable. */
export async function verdictOn(blobKey: string): Promise<ScanState> {
  const verdict = VERDICTS[await scan(readBlob(blobKey) as AsyncIterable<Buffer>)];
  log[verdict === 'infected' ? 'warn' : 'info']({ event: `scan.${verdict}` });
  return verdict;
}

/*
 * Documents from before scanning was enabled, or given up while clamd was unavailable, are scanned too: the
 * newest first, in consecutive jobs that each pause as long as they ran. Until then their status is
 * unchanged.
 */
const EARLIER = 'scan-earlier';
const WORK = 10 * SECOND;
const BATCH = 100;
const batch = z.strictObject({ run: z.number(), before: z.number().optional() });

/** The condition of the index `unscanned_documents`, so that it is used. */
const neverScanned = sql<boolean>`purged_at is null and (scan is null or scan = 'pending')`;

/** Counts the documents that were never scanned. */
export async function countUnscanned(): Promise<number> {
  const all = db().selectFrom('documents').where(neverScanned);
  return (await all.select((e) => e.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count;
}

/** Starts to scan documents that were never scanned, at most once a day; a pending scan continues. */
export async function scanEarlier(): Promise<void> {
  if (!isScanningEnabled() || (await unscannedBefore(undefined, 1)).length === 0) return;
  if ((await jobBacklog(EARLIER)).waiting > 0) return;
  const run = Math.floor(now() / DAY);
  await enqueue(EARLIER, { run }, `${EARLIER}:${run}`);
}

/** The job that scans some earlier documents. */
export const scanSomeEarlier = (given: unknown): Promise<void> => scanBatch(batch.parse(given));

const unscannedBefore = (before: number | undefined, count: number) =>
  db()
    .selectFrom('documents')
    .select(['seq', 'document_id', 'blob_key'])
    .where(neverScanned)
    .$if(before !== undefined, (documents) => documents.where('seq', '<', before ?? 0))
    .orderBy('seq', 'desc')
    .limit(count)
    .execute();

async function scanBatch({ run, before }: z.infer<typeof batch>): Promise<void> {
  if (!isScanningEnabled()) return;
  await pingScanner(); // if clamd is unavailable the job is retried
  const began = performance.now();
  let last = before;
  for (const row of await unscannedBefore(before, BATCH)) {
    const isThere = await scanEarlierOne(row.document_id, row.blob_key);
    last = row.seq;
    // the next job waits for clamd, and continues after a document that may have crashed it
    if (!isThere || performance.now() - began > WORK) break;
  }
  if (last === before) return;
  const rest = Math.ceil(performance.now() - began);
  await enqueue(EARLIER, { run, before: last }, `${EARLIER}:${run}:${last}`, null, now() + rest);
}

/**
 * Skips a document that cannot be read or crashes clamd until the next day. Returns whether clamd responds
 * afterwards.
 */
async function scanEarlierOne(documentId: string, blobKey: string): Promise<boolean> {
  try {
    const verdict = await verdictOn(blobKey);
    await db()
      .updateTable('documents')
      .set({ scan: verdict })
      .where('document_id', '=', documentId)
      .where(neverScanned)
      .execute();
    return true;
  } catch (error) {
    log.warn({ event: 'scanner.passed-over', err: error });
    return pingScanner().then(
      () => true,
      () => false, // the next job reports it
    );
  }
}
