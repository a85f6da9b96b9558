import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Context } from 'hono';
import { z } from 'zod';
import type { Env } from '#features/base/people/people.server.ts';

/** The announced length of the body of a request, in bytes; undefined if it is not announced. */
export function lengthOf(c: Context<Env>): number | undefined {
  const length = c.req.header('content-length');
  return length === undefined ? undefined : Number(length);
}

/** Returns the body of a request as a stream, empty if there is none. */
export function bodyOf(c: Context<Env>): Readable {
  const raw: IncomingMessage | undefined = c.env.incoming;
  if (raw instanceof Readable) return raw;
  return c.req.raw.body ? Readable.fromWeb(c.req.raw.body as never) : Readable.from([]);
}

/**
 * Splits a body into streams of at most `size` bytes, which must be read one after the other, each to its end. There is at
 * least one. An error of the body is one of the stream that is being read.
 */
export async function* inParts(bytes: Readable, size: number): AsyncGenerator<Readable, void> {
  const chunks = bytes.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array, undefined>;
  let rest: Buffer | undefined;
  const next = async (): Promise<Buffer | undefined> => {
    const { value } = await chunks.next();
    return value && Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  };
  async function* part(): AsyncGenerator<Buffer, void> {
    for (let left = size; left > 0;) {
      const chunk = rest ?? (await next());
      if (!chunk) return;
      rest = chunk.length > left ? chunk.subarray(left) : undefined;
      yield chunk.subarray(0, left);
      left -= Math.min(left, chunk.length);
    }
  }
  try {
    do {
      yield Readable.from(part());
      rest ??= await next();
    } while (rest);
  } finally {
    await chunks.return?.();
  }
}

const UPLOAD_KEY = 'upload';
const MAX_KEY = 100;

/** The query parameter whose value is the same for every attempt of a client to send the same files. */
export const uploadQuery = { [UPLOAD_KEY]: z.string().max(MAX_KEY).optional() };

/** The value of {@link uploadQuery}; undefined if there is none. */
export const uploadKey = (c: Context<Env>): string | undefined =>
  c.req.query(UPLOAD_KEY)?.slice(0, MAX_KEY) || undefined;
