import { Readable } from 'node:stream';
import type { Actor } from '#features/base/people/people.ts';
import type { FiscalFile } from '#features/documents/fiscal-xml/fiscal-xml.ts';
import {
  commitFiles,
  prepareFiles,
  type Destination,
  type Outcome,
  type Prepared,
} from '#features/brazil/fiscal-documents/storing.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId, sha256 } from '#platform/security/crypto.server.ts';
import { db, inBatches, isUniqueViolation } from '#platform/database/database.server.ts';
import { commitBlob, putBlob, type StoredBlob } from '#platform/storage/blobs.server.ts';
import { setAsideAdded } from '../events.server.ts';
import { isUnattended, type Refusal, type Source } from '../fiscal-intake.ts';

/* A batch of files of an intake: prepared first, then written in one transaction. */

/** A file of a batch: its bytes, or why there are none. */
export type BatchFile = { number: number; name: string } & (
  { bytes: Buffer; content?: FiscalFile } | { refused: Refusal }
);

/** Where the files of an intake belong: what came without a person is for its client alone. */
export const destinationFor = (clientId: string, intakeId: string, source: Source): Destination => ({
  clientId,
  intakeId,
  ...(isUnattended(source) && { isForOneClient: true }),
  ...(source === 'mail' && { isFromAnybody: true }),
});

interface PreparedBatch {
  actor: Actor;
  destination: Destination;
  files: readonly BatchFile[];
  prepared: Prepared;
  /** The bytes of files that may be set aside, by their digest. */
  blobs: ReadonlyMap<string, StoredBlob>;
}

/** Does something again if another request has stored the same file meanwhile, which is known then. */
export async function unlessStoredMeanwhile<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return work();
  }
}

const MAX_NAME = 300;

/** Reads the files of a batch, and stores their bytes. */
export async function prepareBatch(
  actor: Actor,
  destination: Destination,
  files: readonly BatchFile[],
): Promise<PreparedBatch> {
  const read = files.flatMap((file) => ('bytes' in file ? [file] : []));
  const prepared = await prepareFiles(actor, destination, read);
  const blobs = new Map<string, StoredBlob>();
  for (const { file, sha256: digest, plan } of prepared.files) {
    if (plan.kind !== 'setAside' || blobs.has(digest)) continue;
    if (await isSetAside(destination.clientId, digest)) continue;
    const bytes = Readable.from([file.bytes]);
    blobs.set(digest, await putBlob(bytes, file.bytes.length, undefined, { group: destination.clientId }));
  }
  return { actor, destination, files, prepared, blobs };
}

const isSetAside = async (clientId: string, digest: string): Promise<boolean> =>
  (await db()
    .selectFrom('fiscal_set_asides')
    .select('set_aside_id')
    .where('client_id', '=', clientId)
    .where('sha256', '=', digest)
    .executeTakeFirst()) !== undefined;

/** Writes what became of each file of a batch, in the open transaction; why each was refused, by its number. */
export async function commitBatch({
  actor,
  destination,
  files,
  prepared,
  blobs,
}: PreparedBatch): Promise<ReadonlyMap<number, string>> {
  const outcomes = (await commitFiles(prepared)).values();
  const rows = [];
  for (const file of files) {
    const outcome: Outcome | undefined = 'bytes' in file ? outcomes.next().value : undefined;
    const refused = 'refused' in file ? file.refused : '';
    rows.push({
      intake_id: destination.intakeId,
      number: file.number,
      client_id: outcome && 'clientId' in outcome ? outcome.clientId : destination.clientId,
      name: file.name.slice(0, MAX_NAME),
      outcome: outcome?.outcome ?? ('refused' as const),
      code: outcome ? ('code' in outcome ? outcome.code : '') : refused,
      file_id: outcome && 'fileId' in outcome ? outcome.fileId : '',
    });
    if (outcome?.outcome === 'setAside' && 'bytes' in file)
      await setAside(actor, destination, { file, outcome, blob: blobs.get(outcome.sha256) });
  }
  for (const some of inBatches(rows)) await db().insertInto('fiscal_intake_items').values(some).execute();
  return new Map(
    rows.flatMap(({ number, outcome, code }) => (outcome === 'refused' ? [[number, code]] : [])),
  );
}

interface SetAside {
  file: BatchFile & { bytes: Buffer };
  outcome: Outcome & { outcome: 'setAside' };
  blob: StoredBlob | undefined;
}

async function setAside(
  { companyId }: Actor,
  { clientId, intakeId }: Destination,
  { file, outcome, blob }: SetAside,
): Promise<void> {
  if (!blob || (await isSetAside(clientId, outcome.sha256))) return; // it waits already
  await commitBlob(blob);
  const setAsideId = newId('aside');
  const name = file.name.slice(0, MAX_NAME);
  await db()
    .insertInto('fiscal_set_asides')
    .values({
      set_aside_id: setAsideId,
      company_id: companyId,
      client_id: clientId,
      intake_id: intakeId,
      number: file.number,
      name,
      sentence: outcome.sentence,
      sha256: sha256(file.bytes),
      size: file.bytes.length,
      blob_key: blob.key,
      created_at: now(),
      resolved_at: null,
      resolved_by: '',
      resolution: '',
    })
    .execute();
  await setAsideAdded.announce({ companyId, clientId, setAsideId, name });
}
