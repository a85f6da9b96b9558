import { Readable } from 'node:stream';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { MAX_FISCAL_XML } from '#features/documents/fiscal-xml/read.server.ts';
import { assertTakesDocuments } from '#features/brazil/fiscal-documents/ordered.server.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { commitBlob, putBlob } from '#platform/storage/blobs.server.ts';
import { MAX_FILES, MAX_UPLOAD, type Source } from './fiscal-intake.ts';
import {
  commitBatch,
  prepareBatch,
  unlessStoredMeanwhile,
  type BatchFile,
} from './internal/batches.server.ts';
import { enqueueReading, finishIfRead, readArchives } from './reading-archives.server.ts';

const INTAKES = { most: 600, window: 10 * MINUTE };
/** XML files that are stored in one transaction. */
const AT_ONCE = 64;
/** Archives up to this size are read before the answer. */
const SMALL_ARCHIVE = 8 * 1024 ** 2;

/** Receives the files of a request one after the other: `add` for each, then `finish`. */
interface Receiver {
  add: (name: string, bytes: Readable) => Promise<void>;
  /** Returns the id of the intake. INVALID if there was no file. */
  finish: () => Promise<string>;
}

/**
 * Begins an intake for a client. XML files are stored as they come, some at a time; archives are kept, and read by a job
 * if they are large. A request that breaks off leaves whole files, which are known when they come again. FORBIDDEN where
 * the storage is not ordered or switched off for the client, GONE for an archived client, TOO_MANY.
 */
export async function receiveFiles(
  actor: Actor,
  { clientId, source }: { clientId: string; source: Source },
): Promise<Receiver> {
  await assertTakesDocuments(actor, clientId);
  await consume(`fiscal-intakes:${actor.contactId}`, INTAKES.most, INTAKES.window);
  const intakeId = newId('intake');
  const destination = { clientId, intakeId };
  let [waiting, count, archives, smallBytes]: [BatchFile[], number, number, number] = [[], 0, 0, 0];

  const begin = async (name: string): Promise<void> => {
    if (count === 1) await inTransaction(() => insertIntake(actor, { intakeId, clientId, source, name }));
  };
  const store = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const files = waiting;
    waiting = [];
    await unlessStoredMeanwhile(async () => {
      const batch = await prepareBatch(actor, destination, files);
      await inTransaction(async () => {
        await assertTakesDocuments(await actorNow(actor), clientId);
        await commitBatch(batch);
      });
    });
  };
  const keep = async (name: string, bytes: Readable): Promise<void> => {
    const blob = await putBlob(bytes, MAX_UPLOAD, undefined, { group: clientId });
    archives += 1;
    smallBytes += blob.size;
    await inTransaction(async () => {
      await assertTakesDocuments(await actorNow(actor), clientId);
      await commitBlob(blob);
      await db()
        .insertInto('fiscal_spools')
        .values({
          intake_id: intakeId,
          number: archives,
          name: name.slice(0, 300),
          blob_key: blob.key,
          size: blob.size,
          position: 0,
        })
        .execute();
      await enqueueReading(actor.companyId, { intakeId, by: actor.contactId });
    });
  };
  return {
    add: async (name, bytes) => {
      count += 1;
      if (count > MAX_FILES) throw new PortalError('TOO_LARGE', { mostFiles: MAX_FILES });
      await begin(name);
      const { head, rest } = await headOf(bytes);
      if (isArchive(head)) return keep(name, rest());
      waiting.push({ number: count, name, ...(await wholeOf(rest())) });
      if (waiting.length >= AT_ONCE) await store();
    },
    finish: async () => {
      if (count === 0) throw new PortalError('INVALID', { file: 'NONE' });
      await store();
      if (archives > 0 && smallBytes <= SMALL_ARCHIVE) await readArchives(intakeId, actor);
      else await inTransaction(() => finishIfRead(intakeId));
      return intakeId;
    },
  };
}

interface NewIntake {
  intakeId: string;
  clientId: string;
  source: Source;
  name: string;
}

async function insertIntake(actor: Actor, { intakeId, clientId, source, name }: NewIntake): Promise<void> {
  const { companyId, contactId } = actor;
  await db()
    .insertInto('fiscal_intakes')
    .values({
      intake_id: intakeId,
      company_id: companyId,
      client_id: clientId,
      source,
      name: name.slice(0, 300),
      state: 'reading',
      started_by: contactId,
      created_at: now(),
      finished_at: null,
    })
    .execute();
  await audit({ companyId, actor: contactId, action: 'fiscal.intake', target: intakeId, clientId });
}

/** The signatures of archives, of an empty one too. */
const isArchive = (head: Buffer): boolean =>
  head.length >= 4 && ['504b0304', '504b0506'].includes(head.subarray(0, 4).toString('hex'));

/** The first bytes of a stream, and the stream with them. */
async function headOf(bytes: Readable): Promise<{ head: Buffer; rest: () => Readable }> {
  const chunks = bytes.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  let head = Buffer.alloc(0);
  let isOver = false;
  while (head.length < 4 && !isOver) {
    const { value, done } = await chunks.next();
    if (value) head = Buffer.concat([head, value]);
    isOver = done === true;
  }
  async function* all(): AsyncGenerator<Buffer, void> {
    yield head;
    for (;;) {
      const { value } = await chunks.next();
      if (!value) return;
      yield value;
    }
  }
  return { head, rest: () => Readable.from(all(), { objectMode: false }) };
}

/** A file of XML in memory; what is too large is read to its end and refused. */
async function wholeOf(bytes: Readable): Promise<{ bytes: Buffer } | { refused: 'tooLarge' }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_FISCAL_XML) chunks.push(chunk);
  }
  return size > MAX_FISCAL_XML ? { refused: 'tooLarge' } : { bytes: Buffer.concat(chunks) };
}
