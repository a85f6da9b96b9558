import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create as contentDisposition } from 'content-disposition';
import { log } from './log.server.ts';

/** A file to hand over. With `etag` (a digest) it answers ranges, so that a broken download goes on where it stopped. */
export interface FileToSend {
  name: string;
  type: string;
  size: number;
  etag?: string;
  open: (range?: { start: number; end: number }) => Readable;
}

/** What of a file is asked for: all, one range, or one that cannot be given (RFC 9110, section 14). Several ranges are answered with all. */
export function wantedRange(header: string | undefined, size: number): { start: number; end: number } | 'all' | 'unsatisfiable' {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return 'all';
  const [, first = '', last = ''] = match;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && first !== '' && Number(last) < Number(first)) return 'all';
  return start >= size || (first === '' && Number(last) === 0) ? 'unsatisfiable' : { start, end };
}

/** The `Content-Disposition` of a download: always an attachment, the name in ASCII and in UTF-8 (RFC 6266). */
export const attachment = (name: string): string => contentDisposition(name.toWellFormed().replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '').replace(/[/\\]/g, '_'), { type: 'attachment' });

const headersOf = (file: FileToSend): Record<string, string> => ({
  'Content-Type': file.type,
  'Content-Disposition': attachment(file.name),
  // Never rendered as part of our site, whatever it is; never changed on its way.
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cache-Control': 'no-store, no-transform',
  ...(file.etag && { ETag: `"${file.etag}"`, 'Accept-Ranges': 'bytes' }),
});

/**
 * Sends a file on the raw response, with the back-pressure of a slow reader; a web response is the same for tests and HEAD. Nothing is
 * answered before its first bytes are there: a store that cannot give them is an error of the call, UNAVAILABLE when it is away.
 */
export async function sendFile(request: Request, file: FileToSend, outgoing: ServerResponse | undefined): Promise<Response> {
  const headers = headersOf(file);
  const asked = file.etag && ifRangeHolds(request, file.etag) ? wantedRange(request.headers.get('range') ?? undefined, file.size) : 'all';
  if (asked === 'unsatisfiable') return new Response(null, { status: 416, headers: { ...headers, 'Content-Range': `bytes */${file.size}` } });
  const range = asked === 'all' ? undefined : asked;
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

/** Sends a stream at the pace of its reader. A reader who goes away is no fault: it is how most downloads on a phone end. */
export async function sendStream(bytes: Readable, outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) return void bytes.destroy(); // gone while the file was looked up
  try {
    await pipeline(bytes, outgoing);
  } catch (error) {
    outgoing.destroy();
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ERR_STREAM_PREMATURE_CLOSE' && code !== 'ECONNRESET' && code !== 'EPIPE') log.error({ err: error, event: 'download.failed' });
  }
}

function ifRangeHolds(request: Request, etag: string): boolean {
  const condition = request.headers.get('if-range');
  return condition === null || condition === `"${etag}"`;
}

/** True where a download begins, by its Range header: whoever goes on with one that broke off has opened it before. */
export const isBeginning = (range: string | undefined): boolean => range === undefined || !/^bytes=(?!0*-)/.test(range.trim());
