import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { S3mini, type S3Config } from 's3mini';
import type { BlobStore } from './blobs.server.ts';
import { now, SECOND } from '../runtime/clock.server.ts';
import { PortalError, refusal } from '../runtime/errors.server.ts';
import { log } from '../monitoring/log.server.ts';

/** The minimum part size of S3 (except for the last part), and the memory that one upload uses. */
const PART = 5 * 1024 * 1024;
/**
 * A file takes several requests: with one in ten failing, seven attempts each lose fewer than one file in
 * 100,000.
 */
const MAX_ATTEMPTS = 7;

/** Idle timeout, total timeout, and the first pause before a retry, in milliseconds. */
interface Timeouts {
  idle: number;
  total: number;
  pause: number;
}
/** A store that does not answer at all is given up after two attempts, before the person gives up. */
const TIMEOUTS: Timeouts = { idle: 9 * SECOND, total: 10 * SECOND, pause: 100 };
/** How long a failed upload waits until what it has stored is removed; the sweep does the rest. */
const MAX_CLEANUP = SECOND;

interface S3Location {
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  prefix: string;
}

/** The parts of `s3://KEY:SECRET@host/bucket/prefix?region=…`; `s3+http:` is the same without TLS. */
export function parseS3Url(blobUrl: string): S3Location {
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
 * Blobs as objects of an S3 bucket. An object is visible only when complete: small ones take one request,
 * others parts of 5 MiB with a digest each, and the stored size is compared with the size sent. Temporary
 * failures are retried and broken downloads resumed; when the store stays unreachable the caller gets
 * UNAVAILABLE.
 */
export function s3Store(blobUrl: string, timeouts: Timeouts = TIMEOUTS): BlobStore {
  const { prefix, ...location } = parseS3Url(blobUrl);
  const bucket = new S3mini({ ...location, fetch: fetchWithTimeout(timeouts.idle) });
  const retry: Retry = (work, retryStatuses) => withRetries(work, timeouts, retryStatuses);
  const unfinished = new Map<string, string>();
  const uploading = new Set<string>();

  return {
    async put(name, chunks) {
      const key = prefix + name;
      uploading.add(key);
      const parts = inParts(chunks);
      try {
        const { value: first = Buffer.alloc(0) } = await parts.next();
        if (first.length < PART) await putWhole(bucket, retry, key, first);
        else await putParts(bucket, retry, key, first, parts);
      } finally {
        uploading.delete(key);
        // lets go of the source, which others drain: a failure may come before the parts are read
        await parts.return();
      }
    },
    get: (name, range) => readResuming(bucket, retry, prefix + name, range, timeouts.idle),
    async remove(name) {
      await retry(() => bucket.deleteObject(prefix + name));
    },
    async *list() {
      let token: string | undefined;
      do {
        const page = await retry(() => bucket.listObjectsPaged('/', prefix, 1000, token));
        for (const { Key, Size, LastModified } of page?.objects ?? [])
          yield {
            key: Key.slice(prefix.length),
            size: Number(Size),
            modifiedAt: new Date(LastModified).getTime(),
            unfinished: false,
          };
        token = page?.nextContinuationToken;
      } while (token !== undefined);
      for (const { Key, UploadId, Initiated } of unfinishedIn(
        await retry(() => bucket.listMultipartUploads('/', '', 'GET', { prefix })),
      )) {
        if (!Key.startsWith(prefix)) continue;
        const key = Key.slice(prefix.length);
        unfinished.set(key, UploadId);
        yield {
          key,
          size: 0,
          modifiedAt: uploading.has(Key) ? now() : new Date(Initiated).getTime(),
          unfinished: true,
        }; // a large file on a slow connection takes hours
      }
    },
    freeSpace: () => Promise.resolve(undefined),
    async probe() {
      const key = `${prefix}probe-${randomUUID()}`;
      const bytes = randomBytes(PROBE);
      await putWhole(bucket, retry, key, bytes);
      const read = await Array.fromAsync(
        readResuming(bucket, retry, key, { start: 0, end: PROBE - 1 }, timeouts.idle),
      );
      await retry(() => bucket.deleteObject(key));
      if (!Buffer.concat(read).equals(bytes))
        throw new Error('the store returned other bytes than it was given');
    },
    async abandon(name) {
      const uploadId = unfinished.get(name);
      unfinished.delete(name);
      if (uploadId !== undefined)
        await retry(() => bucket.abortMultipartUpload(prefix + name, uploadId).catch(ignoreNotFound));
    },
  };
}

const PROBE = 32;

/** Puts an object in one request, and again when the stored size differs. */
async function putWhole(bucket: S3mini, retry: Retry, key: string, bytes: Buffer): Promise<void> {
  try {
    await retry(async () => {
      await bucket.putObject(key, bytes);
      await assertStored(bucket, key, bytes.length);
    }, [NOT_FOUND]);
  } catch (error) {
    await cleanUp(() => bucket.deleteObject(key)); // no row refers to it
    throw error;
  }
}

async function putParts(
  bucket: S3mini,
  retry: Retry,
  key: string,
  first: Buffer,
  rest: AsyncIterable<Buffer>,
): Promise<void> {
  const uploadId = await retry(() => bucket.getMultipartUploadId(key));
  let size = first.length;
  try {
    const taken = [await retry(() => bucket.uploadPart(key, uploadId, first, 1))];
    for await (const part of rest) {
      size += part.length;
      taken.push(await retry(() => bucket.uploadPart(key, uploadId, part, taken.length + 1)));
    }
    await retry(() => complete(bucket, key, uploadId, taken));
    await retry(() => assertStored(bucket, key, size), [NOT_FOUND]);
  } catch (error) {
    await cleanUp(async () => {
      await retry(() => bucket.abortMultipartUpload(key, uploadId).catch(ignoreNotFound));
      await bucket.deleteObject(key);
    });
    throw error;
  }
}

/** Removes what a failed upload has left, for a moment: the person waits, and the sweep does it later. */
async function cleanUp(work: () => Promise<unknown>): Promise<void> {
  await withTimeout(MAX_CLEANUP, work()).catch(() => undefined);
}

/**
 * Completes a multipart upload. A store may report an error with status 200, and after a lost response the
 * upload no longer exists.
 */
async function complete(
  bucket: S3mini,
  key: string,
  uploadId: string,
  parts: Parameters<S3mini['completeMultipartUpload']>[2],
): Promise<void> {
  const response = await bucket.completeMultipartUpload(key, uploadId, parts).catch(ignoreNotFound);
  if (response && 'Error' in response) throw new Error('the store could not complete the multipart upload');
}

async function assertStored(bucket: S3mini, key: string, size: number): Promise<void> {
  const stored = await bucket.getContentLength(key);
  if (stored !== size) throw new Error(`the store has ${stored} of ${size} bytes`);
}

const NOT_FOUND = 404;

/** Ignores a "not found" error. */
function ignoreNotFound(error: unknown): undefined {
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

/** Reads a range, and requests the rest when the connection breaks. */
async function* readResuming(
  bucket: S3mini,
  retry: Retry,
  key: string,
  { start, end }: { start: number; end: number },
  idle: number,
): AsyncGenerator<Buffer, void> {
  let position = start;
  for (let broken = 0; position <= end;) {
    const before = position;
    try {
      const response = await retry(() => bucket.getObjectRaw(key, false, position, end + 1));
      for await (const chunk of chunksOf(response, idle)) {
        position += chunk.length;
        if (position > end + 1) throw new Error('the store sent more than requested');
        yield chunk;
      }
      if (position <= end) throw new Error('the object is shorter than expected');
    } catch (error) {
      if (refusal(error) || statusOf(error) !== undefined) throw error;
      broken = position > before ? 1 : broken + 1;
      if (broken >= MAX_ATTEMPTS) throw error;
      log.warn({ event: 'blobs.broken', err: error });
    }
  }
}

/**
 * The body of a response in chunks; throws when none arrives for a while. Time that the reader takes does not
 * count.
 */
async function* chunksOf({ status, body }: Response, idle: number): AsyncGenerator<Buffer, void> {
  if (status !== 206 || !body) throw new Error('the store did not send the requested range');
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await withTimeout(
        idle,
        reader.read() as Promise<{ done: boolean; value?: Uint8Array }>,
      );
      if (done || !value) return;
      yield Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
  } finally {
    reader.cancel().catch(() => undefined); // the connection is gone: nothing to cancel
  }
}

async function withTimeout<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('the store stopped sending')), milliseconds);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Retries temporary failures, and also the given response statuses; then throws UNAVAILABLE. */
type Retry = <T>(work: () => Promise<T>, retryStatuses?: readonly number[]) => Promise<T>;

async function withRetries<T>(
  work: () => Promise<T>,
  { total, pause }: Timeouts,
  retryStatuses: readonly number[] = [],
): Promise<T> {
  const late = performance.now() + total;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const status = statusOf(error);
      if (serviceCodeOf(error) === 'NoSuchBucket') throw unusable(error);
      if (
        status !== undefined &&
        status < 500 &&
        ![408, 429, ...retryStatuses].includes(status) &&
        !isDamaged(error)
      )
        throw isMisconfigured(error) ? unusable(error) : error;
      log.warn({ event: 'blobs.failed', err: error, attempts: attempt });
      if (attempt === MAX_ATTEMPTS || performance.now() > late)
        throw new PortalError('UNAVAILABLE', { retryAfter: 10 });
      const wait = pause * 2 ** (attempt - 1);
      await new Promise((resolve) => setTimeout(resolve, wait / 2 + (Math.random() * wait) / 2));
    }
  }
}

/** True when the store refuses the key, the region or the bucket, and so everything. */
const isMisconfigured = (error: unknown): boolean =>
  [301, 307, 401, 403].includes(statusOf(error) ?? 0) || serviceCodeOf(error) === 'NoSuchBucket';

/** The error for a store that refuses everything; logged for an alert, as no retry helps. */
function unusable(error: unknown): PortalError {
  log.error({ event: 'blobs.misconfigured', err: error });
  return Object.assign(new PortalError('UNAVAILABLE', { retryAfter: 60 }), { cause: error });
}

/** The code by which S3 names an error. */
function serviceCodeOf(error: unknown): unknown {
  const from = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && 'serviceCode' in value ? value.serviceCode : undefined;
  return from(error) ?? (error instanceof Error ? from(error.cause) : undefined);
}

/** True when the store reports that the bytes arrived damaged. */
const isDamaged = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  (error.code === 'BadDigest' || error.code === 'IncompleteBody');

/** The response status of a failed request; undefined when the store could not be reached. */
function statusOf(error: unknown): number | undefined {
  const from = (value: unknown): number | undefined =>
    typeof value === 'object' && value !== null && 'status' in value && typeof value.status === 'number'
      ? value.status
      : undefined;
  return from(error) ?? (error instanceof Error ? from(error.cause) : undefined);
}

/**
 * A fetch that sends a digest of the body, by which the store detects corruption, and that gives up without a
 * response in time.
 */
function fetchWithTimeout(idle: number): NonNullable<S3Config['fetch']> {
  return async (address, options) => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(new Error('the store did not answer')), idle);
    const { body } = options ?? {};
    const digest =
      body instanceof Uint8Array ? { 'Content-MD5': createHash('md5').update(body).digest('base64') } : {};
    try {
      return await fetch(address, {
        ...options,
        headers: { ...(options?.headers as Record<string, string>), ...digest },
        signal: controller.signal,
      });
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

/** The uploads in a ListMultipartUploads response, which may hold none, one or several. */
function unfinishedIn(response: object): Unfinished[] {
  const result = (response as { ListMultipartUploadsResult?: { Upload?: Unfinished | Unfinished[] } })
    .ListMultipartUploadsResult;
  return [result?.Upload ?? []].flat();
}
