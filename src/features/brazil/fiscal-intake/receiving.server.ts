import type { Readable } from 'node:stream';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { assertTakesDocuments } from '#features/brazil/fiscal-documents/ordered.server.ts';
import { MINUTE } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import { putBlob } from '#platform/storage/blobs.server.ts';
import { MAX_FILES, MAX_UPLOAD, type Source } from './fiscal-intake.ts';
import {
  commitBatch,
  prepareBatch,
  unlessStoredMeanwhile,
  type BatchFile,
} from './internal/batches.server.ts';
import { readIncoming } from './internal/incoming.server.ts';
import { insertIntake, insertSpool } from './internal/intake-rows.server.ts';
import { finishIfRead, readArchives } from './reading-archives.server.ts';

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
      await insertSpool(actor, { intakeId, number: archives, name, blob });
    });
  };
  return {
    add: async (name, bytes) => {
      count += 1;
      if (count > MAX_FILES) throw new PortalError('TOO_LARGE', { mostFiles: MAX_FILES });
      await begin(name);
      const content = await readIncoming(bytes);
      if ('archive' in content) return keep(name, content.archive);
      waiting.push({ number: count, name, ...content });
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
