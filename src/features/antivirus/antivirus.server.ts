import { sql } from 'kysely';
import { z } from 'zod';
import type { ScanState } from '#features/documents/documents.ts';
import { readBlob } from '#platform/blobs.server.ts';
import { isScanningEnabled, pingScanner, scan } from '#platform/clamd.server.ts';
import { DAY, now, SECOND } from '#platform/clock.server.ts';
import { db } from '#platform/database.server.ts';
import { enqueue, jobBacklog } from '#platform/jobs.server.ts';
import { log } from '#platform/log.server.ts';

/*
 * Documents are scanned after they were taken in (threat-model.md T53): a scanner that is away keeps nobody
 * from handing in, but what was not found clean goes to no stranger. Jobs try again for three days.
 */

/** Has a new document scanned, as part of the open transaction. */
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

async function verdictOn(blobKey: string): Promise<ScanState> {
  const verdict = VERDICTS[await scan(readBlob(blobKey) as AsyncIterable<Buffer>)];
  log[verdict === 'infected' ? 'warn' : 'info']({ event: `scan.${verdict}` });
  return verdict;
}

/*
 * What came in while nothing scanned here, or was given up while clamd was away, is scanned too: the newest
 * first, by one job after the other, and each rests as long as it worked. Until then it is what it was.
 */
const EARLIER = 'scan-earlier';
const WORK = 10 * SECOND;
const BATCH = 100;
const batch = z.strictObject({ run: z.number(), before: z.number().optional() });

/** As the index `unscanned_documents` has it, so that it is used. */
const neverScanned = sql<boolean>`purged_at is null and (scan is null or scan = 'pending')`;

/** How many documents were never scanned. */
export async function countUnscanned(): Promise<number> {
  const all = db().selectFrom('documents').where(neverScanned);
  return (await all.select((e) => e.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count;
}

/** Begins to scan what was never scanned, at most once a day; what waits already goes on. */
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
  await pingScanner(); // while it is away the job is tried again
  const began = performance.now();
  let last = before;
  for (const row of await unscannedBefore(before, BATCH)) {
    const isThere = await scanEarlierOne(row.document_id, row.blob_key);
    last = row.seq;
    // the next job waits for clamd, and goes on behind a document that perhaps crashed it
    if (!isThere || performance.now() - began > WORK) break;
  }
  if (last === before) return;
  const rest = Math.ceil(performance.now() - began);
  await enqueue(EARLIER, { run, before: last }, `${EARLIER}:${run}:${last}`, null, now() + rest);
}

/**
 * What cannot be read, or ends clamd, is passed over until the next day. Answers whether clamd is there
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
      () => false, // the next job says so
    );
  }
}
