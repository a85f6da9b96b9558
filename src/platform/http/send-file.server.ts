import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create as contentDisposition } from 'content-disposition';
import { refusal } from '../runtime/errors.server.ts';
import { log } from '../monitoring/log.server.ts';

/** A file to send. With `etag` (a digest) it supports ranges, so that broken downloads can resume. */
export interface FileToSend {
  name: string;
  type: string;
  size: number;
  etag?: string;
  open: (range?: { start: number; end: number }) => Readable;
}

/**
 * Parses a Range header: everything, one range, or an unsatisfiable one (RFC 9110, section 14). Multiple
 * ranges are treated as everything.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'all' | 'unsatisfiable' {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return 'all';
  const [, first = '', last = ''] = match;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && first !== '' && Number(last) < Number(first)) return 'all';
  return start >= size || (first === '' && Number(last) === 0) ? 'unsatisfiable' : { start, end };
}

/**
 * The `Content-Disposition` of a download: always an attachment, the name in ASCII and in UTF-8 (RFC 6266).
 */
export const attachment = (name: string): string =>
  contentDisposition(
    name
      .toWellFormed()
      .replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '')
      .replace(/[/\\]/g, '_'),
    { type: 'attachment' },
  );

const headersOf = (file: FileToSend): Record<string, string> => ({
  'Content-Type': file.type,
  'Content-Disposition': attachment(file.name),
  // never rendered as part of our site, and never transformed in transit
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cache-Control': 'no-store, no-transform',
  ...(file.etag && { ETag: `"${file.etag}"`, 'Accept-Ranges': 'bytes' }),
});

/**
 * Sends a file on the raw response, with back-pressure; tests and HEAD get an equivalent web response.
 * Nothing is sent before the first bytes are available, so a store failure is an error of the call:
 * UNAVAILABLE when it is unreachable, DAMAGED when the bytes are altered.
 */
export async function sendFile(
  request: Request,
  file: FileToSend,
  outgoing: ServerResponse | undefined,
): Promise<Response> {
  const headers = headersOf(file);
  const requested = rangeFor(request, file);
  if (requested === 'unsatisfiable')
    return new Response(null, {
      status: 416,
      headers: { ...headers, 'Content-Range': `bytes */${file.size}` },
    });
  const range = requested === 'all' ? undefined : requested;
  const status = range ? 206 : 200;
  headers['Content-Length'] = String(range ? range.end - range.start + 1 : file.size);
  if (range) headers['Content-Range'] = `bytes ${range.start}-${range.end}/${file.size}`;
  if (request.method === 'HEAD') return new Response(null, { status, headers });
  const bytes = file.open(range);
  await once(bytes, 'readable');
  if (!outgoing) return new Response(Readable.toWeb(bytes) as unknown as BodyInit, { status, headers });
  outgoing.writeHead(status, headers);
  void sendStream(bytes, outgoing);
  return new Response(null, { headers: { 'x-hono-already-sent': 'true' } });
}

/**
 * Sends a stream with back-pressure. A client that disconnects is not an error: most downloads on a phone end
 * like that.
 */
export async function sendStream(bytes: Readable, outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) return void bytes.destroy(); // disconnected meanwhile
  try {
    await pipeline(bytes, outgoing);
  } catch (error) {
    outgoing.destroy();
    if (refusal(error)?.code === 'DAMAGED') return; // already logged, with the blob
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ERR_STREAM_PREMATURE_CLOSE' && code !== 'ECONNRESET' && code !== 'EPIPE')
      log.error({ err: error, event: 'download.failed' });
  }
}

const rangeFor = (
  request: Request,
  { size, etag }: { size: number; etag?: string },
): ReturnType<typeof parseRange> =>
  etag && ifRangeHolds(request, etag) ? parseRange(request.headers.get('range') ?? undefined, size) : 'all';

function ifRangeHolds(request: Request, etag: string): boolean {
  const condition = request.headers.get('if-range');
  return condition === null || condition === `"${etag}"`;
}

/**
 * What a request reads of a file: only its headers, all of it, or a part, which may belong to a download in
 * parts.
 */
export type RequestedPart = 'headers' | 'whole' | 'part';

/** What {@link sendFile} will send; a range that covers everything is the whole. */
export function requestedPart(request: Request, file: { size: number; etag: string }): RequestedPart {
  if (request.method !== 'GET') return 'headers';
  const range = rangeFor(request, file);
  if (range === 'unsatisfiable') return 'headers';
  return range === 'all' || range.end - range.start + 1 === file.size ? 'whole' : 'part';
}
