import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Context } from 'hono';
import type { Env } from '#features/people/people.server.ts';

/** Returns the body of a request as a stream, empty if there is none. */
export function bodyOf(c: Context<Env>): Readable {
  const raw: IncomingMessage | undefined = c.env.incoming;
  if (raw instanceof Readable) return raw;
  return c.req.raw.body ? Readable.fromWeb(c.req.raw.body as never) : Readable.from([]);
}
