import { clockDifference, isClockWrong } from './clock-check.server.ts';
import { probeStore } from '../storage/blobs.server.ts';
import { MINUTE, SECOND } from './clock.server.ts';
import { schemaState } from '../database/database.server.ts';
import { isStorageUnavailable, refusal } from './errors.server.ts';
import { log } from '../monitoring/log.server.ts';
import { assertWritable } from './settings.server.ts';
import { ConfigurationError } from './startup.server.ts';

/*
 * What /readyz says: whether this node can serve people, and which part of it is missing. The file store and the schema
 * are looked at every minute, not at every question.
 */

export interface Readiness {
  isReady: boolean;
  /** A sentence for each thing that the operator should know. */
  sentences: string[];
}

let isDraining = false;
let isStoreUp = true;
let newerMigrations: readonly string[] = [];
let watching: NodeJS.Timeout | undefined;

/** From now on the node says that it is not ready, while it still answers. */
export const startDraining = (): void => void (isDraining = true);

/** Whether the file store worked when it was last looked at. */
export const storeIsUp = (): boolean => isStoreUp;

/** The migrations of a newer version that runs on this database. */
export const unknownMigrations = (): readonly string[] => newerMigrations;

export async function readiness(): Promise<Readiness> {
  const reason = isDraining ? 'The portal stops.' : isClockWrong() ? wrongClock() : await notWritable();
  const remarks = [
    ...(isStoreUp
      ? []
      : ['Pages work, files do not: the file store (BLOB_URL) does not take, return or remove files.']),
    ...(newerMigrations.length === 0
      ? []
      : [
          `A newer version has migrated the database (${newerMigrations.join(', ')}): this node should be replaced by it.`,
        ]),
  ];
  return reason === undefined
    ? { isReady: true, sentences: remarks }
    : { isReady: false, sentences: [reason, ...remarks] };
}

const wrongClock = (): string =>
  `The clock of this machine and that of the database are ${Math.round(Math.abs(clockDifference() ?? 0) / SECOND)} s apart. Set both by NTP.`;

async function notWritable(): Promise<string | undefined> {
  try {
    await assertWritable();
    return undefined;
  } catch (error) {
    if (isStorageUnavailable(error))
      return 'Changes can’t be saved right now: the disk is full or read-only. Documents can still be opened.';
    if (refusal(error)?.code === 'UNAVAILABLE') return 'The database does not answer.';
    throw error;
  }
}

/** Looks at the file store and the schema every minute. */
export function startWatching(): void {
  watching = setInterval(() => void look(), MINUTE).unref();
}

export const stopWatching = (): void => clearInterval(watching);

async function look(): Promise<void> {
  await probeStore().then(
    () => (isStoreUp = true),
    (error: unknown) => {
      isStoreUp = false;
      log.error({ event: 'blobs.unusable', err: error });
    },
  );
  await lookAtSchema().catch((error: unknown) => log.warn({ event: 'database.schema-not-read', err: error }));
}

/** Notices when a newer version has migrated the database under this one. */
export async function lookAtSchema(): Promise<void> {
  const { unknown } = await schemaState();
  if (unknown.length > newerMigrations.length) log.warn({ event: 'database.newer-version' });
  newerMigrations = unknown;
}

/** Refuses to start with a file store that does not take, return and remove files. */
export async function assertStoreWorks(): Promise<void> {
  try {
    await probeStore();
  } catch (error) {
    if (isTimeRefused(error))
      throw new ConfigurationError(
        'The file store (BLOB_URL) refuses the time of this machine. Set its clock by NTP, and start again.',
      );
    throw new ConfigurationError(
      `BLOB_URL names a store that cannot be used: ${reasonOf(error)}. Check its address, bucket, region and key; the key must be allowed to write, read, list and delete objects.`,
    );
  }
}

interface StoreError {
  status?: unknown;
  serviceCode?: unknown;
}

/** What the store said. */
function storeErrorOf(error: unknown): StoreError {
  const { cause, ...details } = error as StoreError & { cause?: unknown };
  return (refusal(error) && cause ? cause : details) as StoreError;
}

/** True when the clock of this machine differs from that of the store by more than S3 allows. */
const isTimeRefused = (error: unknown): boolean => storeErrorOf(error).serviceCode === 'RequestTimeTooSkewed';

/** Why the store cannot be used, without its key. */
function reasonOf(error: unknown): string {
  const source = storeErrorOf(error);
  if (source.serviceCode === 'NoSuchBucket') return 'there is no such bucket';
  if (source.status === 403 || source.status === 401)
    return `it refuses the key (${String(source.serviceCode ?? source.status)})`;
  if (source.status === 301 || source.status === 307) return 'the bucket is in another region';
  if (refusal(error)) return 'it does not answer';
  return error instanceof Error ? error.message : 'it fails';
}
