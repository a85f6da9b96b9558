import { z } from 'zod';
import { actorNow, actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { assertTakesDocuments } from '#features/brazil/fiscal-documents/ordered.server.ts';
import {
  startReadingThread,
  type ReadingThread,
} from '#features/brazil/fiscal-documents/reading-thread.server.ts';
import type { FiscalFile } from '#features/documents/fiscal-xml/fiscal-xml.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction, withoutSync } from '#platform/database/database.server.ts';
import { notFound, refusal } from '#platform/runtime/errors.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import { releaseBlobs } from '#platform/storage/blobs.server.ts';
import { PORTAL, portalActor } from './internal/portal-actor.server.ts';
import { filesInArchive, type ArchivedFile } from './internal/archives.server.ts';
import type { Source } from './fiscal-intake.ts';
import {
  commitBatch,
  destinationFor,
  prepareBatch,
  unlessStoredMeanwhile,
  type BatchFile,
} from './internal/batches.server.ts';

/*
 * The job that reads archives: some files at a time, each batch in one transaction with how far it is. Killed at any
 * moment, it leaves whole batches, and goes on after the last one.
 */

export const FISCAL_INTAKE = 'fiscal-intake';
const work = z.strictObject({ intakeId: z.string(), by: z.string() });

const FILES_AT_ONCE = 64;
/** From how many files on they are read in a thread, which takes a fifth of a second to start. */
const MANY_FILES = 300;
const BYTES_AT_ONCE = 8 * 1024 ** 2;
/** The numbers of an archive's files begin with that of the archive. */
const NUMBERS_OF_ARCHIVE = 100_000;

export const enqueueReading = (companyId: string, payload: z.infer<typeof work>): Promise<void> =>
  enqueue(FISCAL_INTAKE, payload, null, companyId);

/** Reads the archives of an intake, as whoever sent them, with the rights of this moment. */
export async function continueIntake(payload: unknown): Promise<void> {
  const { intakeId, by } = work.parse(payload);
  try {
    await readArchives(intakeId, await readerOf(intakeId, by));
  } catch (error) {
    if (!['FORBIDDEN', 'NOT_FOUND', 'GONE'].includes(refusal(error)?.code ?? '')) throw error;
    await inTransaction(() => interrupt(intakeId));
  }
}

/** Whoever sent an intake, or the portal for what came without a person. */
async function readerOf(intakeId: string, by: string): Promise<Actor> {
  if (by !== PORTAL) return actorNow(await actorOf(by));
  const intake = await db()
    .selectFrom('fiscal_intakes')
    .innerJoin('firms', 'firms.company_id', 'fiscal_intakes.company_id')
    .select(['firms.company_id', 'firms.language'])
    .where('intake_id', '=', intakeId)
    .executeTakeFirst();
  if (!intake) throw notFound();
  return portalActor(intake.company_id, intake.language);
}

/** Reads what is left of an intake's archives. */
export async function readArchives(intakeId: string, actor: Actor): Promise<void> {
  for (;;) {
    const spool = await db()
      .selectFrom('fiscal_spools')
      .innerJoin('fiscal_intakes', 'fiscal_intakes.intake_id', 'fiscal_spools.intake_id')
      .selectAll('fiscal_spools')
      .select(['fiscal_intakes.client_id', 'fiscal_intakes.source'])
      .where('fiscal_spools.intake_id', '=', intakeId)
      .orderBy('number')
      .executeTakeFirst();
    if (!spool) break;
    await readArchive(spool, actor);
  }
  await inTransaction(() => finishIfRead(intakeId));
}

interface Spool {
  intake_id: string;
  client_id: string;
  source: Source;
  number: number;
  name: string;
  blob_key: string;
  size: number;
  position: number;
}

async function readArchive(spool: Spool, actor: Actor): Promise<void> {
  const found = await filesInArchive(spool.blob_key, spool.size);
  const first = spool.number * NUMBERS_OF_ARCHIVE + 1;
  if ('refused' in found) {
    const refused = [{ number: first, name: spool.name, refused: found.refused }];
    await storeBatch(spool, actor, { files: refused, position: 0, isLast: true });
    return;
  }
  const { files } = found;
  const thread = files.length - spool.position < MANY_FILES ? undefined : startReadingThread();
  const readFrom = (position: number): Promise<BatchFile[]> =>
    readBatch(files.slice(position, position + FILES_AT_ONCE), first + position, thread);
  try {
    let next = readFrom(spool.position);
    for (let position = spool.position; ;) {
      const batch = await next;
      const isLast = position + batch.length >= files.length;
      if (!isLast) next = readFrom(position + batch.length); // while this batch is stored
      next.catch(() => undefined); // it is awaited unless storing fails
      const storing = (): Promise<boolean> => storeBatch(spool, actor, { files: batch, position, isLast });
      // What a power cut takes is read again: the last batch, which removes the archive, is written durably.
      const isOurs = await unlessStoredMeanwhile(() => (isLast ? storing() : withoutSync(storing)));
      if (!isOurs || isLast) return;
      position += batch.length;
    }
  } finally {
    await thread?.end();
  }
}

/** Reads files, as many as fit into memory; their numbers begin with `first`. */
async function readBatch(
  files: readonly ArchivedFile[],
  first: number,
  thread: ReadingThread | undefined,
): Promise<BatchFile[]> {
  const batch: BatchFile[] = [];
  const read: { bytes: Buffer; content?: FiscalFile }[] = [];
  let bytes = 0;
  for (const [at, { name, read: readFile }] of files.entries()) {
    const found = await readFile();
    batch.push(Object.assign(found, { number: first + at, name }));
    if (!('bytes' in found)) continue;
    read.push(found);
    bytes += found.bytes.length;
    if (bytes > BYTES_AT_ONCE) break;
  }
  const contents = read.length === 0 ? [] : await thread?.read(read.map((file) => file.bytes));
  for (const [at, content] of contents?.entries() ?? []) Object.assign(read[at] ?? {}, { content });
  return batch;
}

interface Batch {
  files: readonly BatchFile[];
  position: number;
  isLast: boolean;
}

/** Stores a batch; false if another worker has done it. */
async function storeBatch(
  { intake_id: intakeId, client_id: clientId, source, number, blob_key: blobKey }: Spool,
  actor: Actor,
  { files, position, isLast }: Batch,
): Promise<boolean> {
  const prepared = await prepareBatch(actor, destinationFor(clientId, intakeId, source), files);
  return inTransaction(async () => {
    const { numUpdatedRows } = await db()
      .updateTable('fiscal_spools')
      .set({ position: position + files.length })
      .where('intake_id', '=', intakeId)
      .where('number', '=', number)
      .where('position', '=', position)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await assertTakesDocuments(actor, clientId);
    await commitBatch(prepared);
    if (isLast) {
      await db()
        .deleteFrom('fiscal_spools')
        .where('intake_id', '=', intakeId)
        .where('number', '=', number)
        .execute();
      await releaseBlobs([blobKey]);
    }
    return true;
  });
}

/** Ends an intake whose archives are all read, in the open transaction. */
export async function finishIfRead(intakeId: string): Promise<void> {
  await db()
    .updateTable('fiscal_intakes')
    .set({ state: 'done', finished_at: now() })
    .where('intake_id', '=', intakeId)
    .where('state', '=', 'reading')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('fiscal_spools').select('number').where('intake_id', '=', intakeId))),
    )
    .execute();
}

async function interrupt(intakeId: string): Promise<void> {
  const spools = await db()
    .deleteFrom('fiscal_spools')
    .where('intake_id', '=', intakeId)
    .returning('blob_key')
    .execute();
  await releaseBlobs(spools.map(({ blob_key: key }) => key));
  await db()
    .updateTable('fiscal_intakes')
    .set({ state: 'interrupted', finished_at: now() })
    .where('intake_id', '=', intakeId)
    .where('state', '=', 'reading')
    .execute();
}

/** Ends intakes whose request broke off an hour ago, and that have nothing left to read. */
export async function endBrokenIntakes(): Promise<void> {
  await db()
    .updateTable('fiscal_intakes')
    .set({ state: 'interrupted', finished_at: now() })
    .where('state', '=', 'reading')
    .where('created_at', '<', now() - HOUR)
    .where('intake_id', 'not in', (e) => e.selectFrom('fiscal_spools').select('fiscal_spools.intake_id'))
    .execute();
}
