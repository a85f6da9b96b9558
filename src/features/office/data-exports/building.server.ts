import { Readable } from 'node:stream';
import { z } from 'zod';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { canAccessPortal } from '#features/base/people/people.ts';
import { commitBlob, putBlob, removeBlob, type StoredBlob } from '#platform/storage/blobs.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { isStorageUnavailable, PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { streamedZip } from '#platform/storage/zip.server.ts';
import { contentsOf } from './contents.server.ts';
import { DAYS_KEPT, type ExportProblem } from './data-exports.ts';
import { assertMayExport, noteExport } from './data-exports.server.ts';
import { readyMail } from './mails.server.ts';

const payload = z.strictObject({ exportId: z.string() });
/** An export that fails as often is given up. */
const MAX_ATTEMPTS = 8;
const BYTES_PER_REPORT = 32 * 1024 ** 2;
const DOCUMENTS_PER_REPORT = 50;

/** Cancelled, or begun again by another worker: this attempt ends without a trace. */
class Superseded extends Error {}

/**
 * The job of an export: writes the archive into a blob, from the beginning after an attempt that was cut off, whose
 * bytes are swept. Nothing is kept in memory but the list of one client's documents.
 */
export async function buildDataExport(given: unknown): Promise<void> {
  const attempt = await begin(payload.parse(given).exportId);
  if (!attempt) return;
  try {
    if (attempt.attempt > MAX_ATTEMPTS) throw new PortalError('GONE');
    await build(attempt);
  } catch (error) {
    if (error instanceof Superseded) return;
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    await update(attempt, { state: 'failed', problem, finished_at: now() });
  }
}

/** Why there is no point in trying again; undefined if there may be. */
function problemOf(error: unknown): ExportProblem | undefined {
  if (isStorageUnavailable(error)) return 'QUOTA';
  const code = refusal(error)?.code;
  if (code === 'FORBIDDEN' || code === 'NOT_FOUND') return 'FORBIDDEN';
  return code === 'GONE' ? 'ERROR' : undefined;
}

type Attempt = NonNullable<Awaited<ReturnType<typeof begin>>>;

const begin = (exportId: string) =>
  db()
    .updateTable('data_exports')
    .set((e) => ({ state: 'building', attempt: e('attempt', '+', 1), written: 0, omitted: 0 }))
    .where('export_id', '=', exportId)
    .where('state', 'in', ['waiting', 'building'])
    .returningAll()
    .executeTakeFirst();

/** Changes the export while this attempt is the current one; throws {@link Superseded} if it is not. */
async function update(
  { export_id: exportId, attempt }: Attempt,
  change: Partial<
    Pick<
      Attempt,
      | 'written'
      | 'omitted'
      | 'state'
      | 'problem'
      | 'finished_at'
      | 'expires_at'
      | 'size'
      | 'sha256'
      | 'blob_key'
    >
  >,
): Promise<void> {
  const { numUpdatedRows } = await db()
    .updateTable('data_exports')
    .set(change)
    .where('export_id', '=', exportId)
    .where('state', '=', 'building')
    .where('attempt', '=', attempt)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new Superseded();
}

async function build(attempt: Attempt): Promise<void> {
  const { client_id: clientId, contact_id: contactId, company_id: companyId } = attempt;
  const actor = await actorOf(contactId);
  if (actor.companyId !== companyId || !canAccessPortal(actor)) throw new PortalError('FORBIDDEN');
  await assertMayExport(actor, clientId);
  const report = reporter(attempt);
  const scope = {
    actor,
    clientId,
    firm: await firmOf(companyId),
    lang: languageOf(attempt.language) ?? DEFAULT_LANG,
    createdAt: attempt.created_at,
  };
  const contents = contentsOf(scope, report.note);
  const source = Readable.from(streamedZip(contents, now()), { objectMode: false });
  const blob = await putBlob(source, Infinity).finally(() => source.destroy());
  try {
    await finish(attempt, blob, report.sums);
  } catch (error) {
    await removeBlob(blob.key);
    throw error;
  }
}

/** Reports the progress from time to time, and notices whether the export was cancelled. */
function reporter(attempt: Attempt) {
  const sums = { written: 0, omitted: 0 };
  let [bytes, documents] = [0, 0];
  const note = async (size: number, isOmitted: boolean): Promise<void> => {
    sums.written += size;
    if (isOmitted) sums.omitted += 1;
    bytes += size;
    documents += 1;
    if (bytes < BYTES_PER_REPORT && documents < DOCUMENTS_PER_REPORT) return;
    [bytes, documents] = [0, 0];
    await update(attempt, sums);
  };
  return { sums, note };
}

async function finish(
  attempt: Attempt,
  blob: StoredBlob,
  sums: { written: number; omitted: number },
): Promise<void> {
  const { size, sha256, key } = blob;
  const expiresAt = now() + DAYS_KEPT * DAY;
  await inTransaction(async () => {
    const actor = await actorOf(attempt.contact_id);
    await assertMayExport(actor, attempt.client_id);
    await update(attempt, {
      ...sums,
      state: 'ready',
      size,
      sha256,
      blob_key: key,
      finished_at: now(),
      expires_at: expiresAt,
    });
    await commitBlob(blob);
    await noteExport(actor, 'data-export.ready', attempt, { size, sha256, omitted: sums.omitted });
    await queueMail(
      readyMail(await firmOf(attempt.company_id), actor, expiresAt),
      `data-export-${attempt.export_id}`,
    );
  });
}
