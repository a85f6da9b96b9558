import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Context } from 'hono';
import { z } from 'zod';
import type { Env } from '#features/people/people.server.ts';

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

const UPLOAD_KEY = 'upload';
const MAX_KEY = 100;

/** The query parameter whose value is the same for every attempt of a client to send the same files. */
export const uploadQuery = { [UPLOAD_KEY]: z.string().max(MAX_KEY).optional() };

/** The value of {@link uploadQuery}; undefined if there is none. */
export const uploadKey = (c: Context<Env>): string | undefined =>
  c.req.query(UPLOAD_KEY)?.slice(0, MAX_KEY) || undefined;
