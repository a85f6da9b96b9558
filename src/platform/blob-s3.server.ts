import { createHash } from 'node:crypto';
import { S3mini, type S3Config } from 's3mini';
import type { BlobStore } from './blobs.server.ts';
import { now, SECOND } from './clock.server.ts';
import { PortalError, refusal } from './errors.server.ts';
import { log } from './log.server.ts';

/** The smallest part that S3 takes, but for the last; what one upload holds in memory. */
const PART = 5 * 1024 * 1024;
/** A file takes several requests; where one in ten fails, seven tries each lose fewer than one file in 100,000. */
const TRIES = 7;

/** How long the store may leave us without a byte, when we give up altogether, and the first pause before another try; in milliseconds. */
interface Patience {
  silence: number;
  altogether: number;
  pause: number;
}
const PATIENCE: Patience = { silence: 15 * SECOND, altogether: 30 * SECOND, pause: 100 };

interface Place {
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  prefix: string;
}

/** The parts of `s3://KEY:SECRET@host/bucket/prefix?region=…`; `s3+http:` is the same without TLS. */
export function placeIn(blobUrl: string): Place {
  const url = new URL(blobUrl.replace(/^s3(\+http)?:/, (_, plain) => (plain ? 'http:' : 'https:')));
  const [bucket = '', ...rest] = url.pathname.split('/').filter(Boolean).map(decodeURIComponent);
  return {
    endpoint: `${url.origin}/${bucket}`,
    region: url.searchParams.get('region') ?? 'us-east-1',
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
    prefix: rest.map((part) => `${part}/`).join(''),
  };
}

/**
 * Blobs as objects of an S3 bucket. An object shows only when it is whole: small ones go in one request, others in parts of 5 MiB, each
 * with its digest, and what the store says it kept is compared with what it was given. What fails for a moment is tried again, a download
 * goes on where it broke off; when the store stays away the caller hears UNAVAILABLE.
 */
export function s3Store(blobUrl: string, patience: Patience = PATIENCE): BlobStore {
  const { prefix, ...place } = placeIn(blobUrl);
  const bucket = new S3mini({ ...place, fetch: fetchWithin(patience.silence) });
  const again: Again = (work, alsoAt) => tryAgain(work, patience, alsoAt);
  const unfinished = new Map<string, string>();
  const comingIn = new Set<string>();

  return {
    async put(name, chunks) {
      const key = prefix + name;
      comingIn.add(key);
      try {
        const parts = inParts(chunks);
        const { value: first = Buffer.alloc(0) } = await parts.next();
        if (first.length < PART) await putWhole(bucket, again, key, first);
        else await putParts(bucket, again, key, first, parts);
      } finally {
        comingIn.delete(key);
      }
    },
    get: (name, range) => resuming(bucket, again, prefix + name, range, patience.silence),
    async remove(name) {
      await again(() => bucket.deleteObject(prefix + name));
    },
    async *list() {
      let token: string | undefined;
      do {
        const page = await again(() => bucket.listObjectsPaged('/', prefix, 1000, token));
        for (const { Key, Size, LastModified } of page?.objects ?? []) yield { key: Key.slice(prefix.length), size: Number(Size), modifiedAt: new Date(LastModified).getTime(), unfinished: false };
        token = page?.nextContinuationToken;
      } while (token !== undefined);
      for (const { Key, UploadId, Initiated } of unfinishedIn(await again(() => bucket.listMultipartUploads('/', '', 'GET', { prefix })))) {
        if (!Key.startsWith(prefix)) continue;
        const key = Key.slice(prefix.length);
        unfinished.set(key, UploadId);
        yield { key, size: 0, modifiedAt: comingIn.has(Key) ? now() : new Date(Initiated).getTime(), unfinished: true }; // a large file on a slow line takes hours
      }
    },
    room: () => Promise.resolve(undefined),
    async abandon(name) {
      const uploadId = unfinished.get(name);
      unfinished.delete(name);
      if (uploadId !== undefined) await again(() => bucket.abortMultipartUpload(prefix + name, uploadId).catch(unlessGone));
    },
  };
}

/** Puts an object in one request; one that the store did not keep as it was given is put again. */
async function putWhole(bucket: S3mini, again: Again, key: string, bytes: Buffer): Promise<void> {
  try {
    await again(async () => {
      await bucket.putObject(key, bytes);
      await assertKept(bucket, key, bytes.length);
    }, [NOT_FOUND]);
  } catch (error) {
    await bucket.deleteObject(key).catch(() => undefined); // nobody owns it: the sweep does it later
    throw error;
  }
}

async function putParts(bucket: S3mini, again: Again, key: string, first: Buffer, rest: AsyncIterable<Buffer>): Promise<void> {
  const uploadId = await again(() => bucket.getMultipartUploadId(key));
  let size = first.length;
  try {
    const taken = [await again(() => bucket.uploadPart(key, uploadId, first, 1))];
    for await (const part of rest) {
      size += part.length;
      taken.push(await again(() => bucket.uploadPart(key, uploadId, part, taken.length + 1)));
    }
    await again(() => complete(bucket, key, uploadId, taken));
    await again(() => assertKept(bucket, key, size), [NOT_FOUND]);
  } catch (error) {
    await again(() => bucket.abortMultipartUpload(key, uploadId).catch(unlessGone)).catch(() => undefined); // the sweep does it later
    await bucket.deleteObject(key).catch(() => undefined); // the same
    throw error;
  }
}

/** Puts the parts together. A store may say 200 and then that it failed, and an answer that was lost leaves nothing to put together. */
async function complete(bucket: S3mini, key: string, uploadId: string, parts: Parameters<S3mini['completeMultipartUpload']>[2]): Promise<void> {
  const answer = await bucket.completeMultipartUpload(key, uploadId, parts).catch(unlessGone);
  if (answer && 'Error' in answer) throw new Error('the store could not put the parts together');
}

async function assertKept(bucket: S3mini, key: string, size: number): Promise<void> {
  const kept = await bucket.getContentLength(key);
  if (kept !== size) throw new Error(`the store kept ${kept} of ${size} bytes`);
}

const NOT_FOUND = 404;

/** Passes over the refusal of what is not there any more. */
function unlessGone(error: unknown): undefined {
  if (statusOf(error) !== NOT_FOUND) throw error;
}

async function* inParts(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let held: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    length += chunk.length;
    if (length < PART) continue;
    yield Buffer.concat(held);
    held = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(held);
}

/** Reads a range; when the connection breaks, asks for the rest. */
async function* resuming(bucket: S3mini, again: Again, key: string, { start, end }: { start: number; end: number }, silence: number): AsyncGenerator<Buffer, void> {
  let position = start;
  for (let broken = 0; position <= end; ) {
    const before = position;
    try {
      const answer = await again(() => bucket.getObjectRaw(key, false, position, end + 1));
      for await (const chunk of chunksOf(answer, silence)) {
        position += chunk.length;
        if (position > end + 1) throw new Error('the store gave more than it was asked for');
        yield chunk;
      }
      if (position <= end) throw new Error('the object is shorter than it was');
    } catch (error) {
      if (refusal(error) || statusOf(error) !== undefined) throw error;
      broken = position > before ? 1 : broken + 1;
      if (broken >= TRIES) throw error;
      log.warn({ event: 'blobs.broken', err: error });
    }
  }
}

/** The bytes of an answer as they come; throws when none come for a while. How long the reader takes with them does not count. */
async function* chunksOf({ status, body }: Response, silence: number): AsyncGenerator<Buffer, void> {
  if (status !== 206 || !body) throw new Error('the store did not answer with the part that it was asked for');
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await within(silence, reader.read() as Promise<{ done: boolean; value?: Uint8Array }>);
      if (done || !value) return;
      yield Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
  } finally {
    reader.cancel().catch(() => undefined); // it broke off: there is nothing to cancel
  }
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('the store fell silent')), milliseconds);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Tries what may fail for a moment again, and at those statuses of a refusal also; UNAVAILABLE when it stays so. */
type Again = <T>(work: () => Promise<T>, alsoAt?: readonly number[]) => Promise<T>;

async function tryAgain<T>(work: () => Promise<T>, { altogether, pause }: Patience, alsoAt: readonly number[] = []): Promise<T> {
  const late = performance.now() + altogether;
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const status = statusOf(error);
      if (status !== undefined && status < 500 && ![408, 429, ...alsoAt].includes(status) && !isDamaged(error)) throw error;
      log.warn({ event: 'blobs.failed', err: error, attempts: tries });
      if (tries === TRIES || performance.now() > late) throw new PortalError('UNAVAILABLE', { retryAfter: 10 });
      const wait = pause * 2 ** (tries - 1);
      await new Promise((resolve) => setTimeout(resolve, wait / 2 + (Math.random() * wait) / 2));
    }
  }
}

/** True when the store says that our bytes did not come as we sent them. */
const isDamaged = (error: unknown): boolean => typeof error === 'object' && error !== null && 'code' in error && (error.code === 'BadDigest' || error.code === 'IncompleteBody');

/** The status with which the store refused; undefined when it could not be reached. */
function statusOf(error: unknown): number | undefined {
  const from = (value: unknown): number | undefined => (typeof value === 'object' && value !== null && 'status' in value && typeof value.status === 'number' ? value.status : undefined);
  return from(error) ?? (error instanceof Error ? from(error.cause) : undefined);
}

/** Asks the store, with a digest of what is sent, by which it notices bytes that were changed or lost. One that does not answer is given up. */
function fetchWithin(silence: number): NonNullable<S3Config['fetch']> {
  return async (address, options) => {
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(new Error('the store did not answer')), silence);
    const { body } = options ?? {};
    const digest = body instanceof Uint8Array ? { 'Content-MD5': createHash('md5').update(body).digest('base64') } : {};
    try {
      return await fetch(address, { ...options, headers: { ...(options?.headers as Record<string, string>), ...digest }, signal: giveUp.signal });
    } finally {
      clearTimeout(timer);
    }
  };
}

interface Unfinished {
  Key: string;
  UploadId: string;
  Initiated: string;
}

/** The uploads in an answer to ListMultipartUploads, of which there may be none, one or several. */
function unfinishedIn(answer: object): Unfinished[] {
  const result = (answer as { ListMultipartUploadsResult?: { Upload?: Unfinished | Unfinished[] } }).ListMultipartUploadsResult;
  return [result?.Upload ?? []].flat();
}
