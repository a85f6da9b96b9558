import { Readable } from 'node:stream';
import { S3mini } from 's3mini';
import type { BlobStore } from './blobs.server.ts';
import { SECOND } from './clock.server.ts';
import { PortalError } from './errors.server.ts';
import { log } from './log.server.ts';

/** The smallest part that S3 takes, but for the last; what one upload holds in memory. */
const PART = 5 * 1024 * 1024;
const TRIES = 4;
const HEADERS_WITHIN = 30 * SECOND;

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
 * Blobs as objects of an S3 bucket. An object shows only when it is whole: small ones go in one request, others in parts of 5 MiB. What
 * fails for a moment is tried again, a download goes on where it broke off; when the store stays away the caller hears UNAVAILABLE.
 */
export function s3Store(blobUrl: string): BlobStore {
  const { prefix, ...place } = placeIn(blobUrl);
  const bucket = new S3mini({ ...place, fetch: fetchWithin });
  const unfinished = new Map<string, string>();

  return {
    async put(name, chunks) {
      const key = prefix + name;
      const parts = inParts(chunks);
      const { value: first = Buffer.alloc(0) } = await parts.next();
      let size = first.length;
      if (first.length < PART) {
        await again(() => bucket.putObject(key, first));
      } else {
        const uploadId = await again(() => bucket.getMultipartUploadId(key));
        try {
          const taken = [await again(() => bucket.uploadPart(key, uploadId, first, 1))];
          for await (const part of parts) {
            size += part.length;
            taken.push(await again(() => bucket.uploadPart(key, uploadId, part, taken.length + 1)));
          }
          await again(() => bucket.completeMultipartUpload(key, uploadId, taken));
        } catch (error) {
          await bucket.abortMultipartUpload(key, uploadId).catch(() => undefined); // the sweep does it later
          throw error;
        }
      }
      const kept = await again(() => bucket.getContentLength(key));
      if (kept !== size) throw new Error(`the store kept ${kept} of ${size} bytes`);
    },
    get: (name, range) => resuming(bucket, prefix + name, range),
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
      for (const { Key, UploadId, Initiated } of unfinishedIn(await again(() => bucket.listMultipartUploads()))) {
        if (!Key.startsWith(prefix)) continue;
        const key = Key.slice(prefix.length);
        unfinished.set(key, UploadId);
        yield { key, size: 0, modifiedAt: new Date(Initiated).getTime(), unfinished: true };
      }
    },
    async abandon(name) {
      const uploadId = unfinished.get(name);
      unfinished.delete(name);
      if (uploadId !== undefined) await again(() => bucket.abortMultipartUpload(prefix + name, uploadId));
    },
  };
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
async function* resuming(bucket: S3mini, key: string, { start, end }: { start: number; end: number }): AsyncGenerator<Buffer, void> {
  let position = start;
  for (let broken = 0; position <= end; ) {
    const answer = await again(() => bucket.getObjectRaw(key, false, position, end + 1));
    try {
      for await (const chunk of Readable.fromWeb(answer.body as never) as AsyncIterable<Buffer>) {
        position += chunk.length;
        yield chunk;
      }
      if (position <= end) throw new Error('the object is shorter than it was');
    } catch (error) {
      if ((broken += 1) >= TRIES) throw error;
      log.warn({ event: 'blobs.broken', err: error });
    }
  }
}

/** Tries what may fail for a moment up to four times, 0.1 s, 0.4 s and 1.6 s apart. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const status = statusOf(error);
      if (status !== undefined && status < 500 && status !== 408 && status !== 429) throw error;
      log.warn({ event: 'blobs.failed', err: error, attempts: tries });
      if (tries === TRIES) throw new PortalError('UNAVAILABLE', { retryAfter: 10 });
      await new Promise((resolve) => setTimeout(resolve, 25 * 4 ** tries));
    }
  }
}

/** The status with which the store refused; undefined when it could not be reached. */
function statusOf(error: unknown): number | undefined {
  const from = (value: unknown): number | undefined => (typeof value === 'object' && value !== null && 'status' in value && typeof value.status === 'number' ? value.status : undefined);
  return from(error) ?? (error instanceof Error ? from(error.cause) : undefined);
}

/** A store that does not answer is given up; one that answers may take its time with the bytes. */
async function fetchWithin(...[address, options]: Parameters<typeof fetch>): Promise<Response> {
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(new Error('the store did not answer')), HEADERS_WITHIN);
  try {
    return await fetch(address, { ...options, signal: giveUp.signal });
  } finally {
    clearTimeout(timer);
  }
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
