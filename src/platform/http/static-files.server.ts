import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import sirv from 'sirv';
import { log } from '../monitoring/log.server.ts';

type StaticFiles = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * Serves the files that a folder contains now; every other address is passed on. A file that has disappeared
 * since is not found.
 */
export function staticFiles(folder: string): StaticFiles {
  const files = sirv(folder, {
    brotli: true,
    gzip: true,
    etag: true,
    setHeaders: (response, name) => {
      const isHashed = name.startsWith('/_astro/');
      response.setHeader(
        'Cache-Control',
        isHashed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
      );
      sendHeadersOnceOpen(response, isHashed ? { ETag: [], 'Last-Modified': [] } : {});
    },
  });
  return (request, response, next) => {
    delete request.headers.range; // sirv throws if one ends before it starts, and no file is that large
    files(request, response, next);
  };
}

/**
 * Sends the headers once the file is open: sirv would write them before it opens the file, and end the process
 * if that fails. Files with a hash in their names are never revalidated: `validators` omits ETag and
 * Last-Modified, 80 bytes each.
 */
function sendHeadersOnceOpen(response: ServerResponse, validators: Record<string, []>): void {
  const { writeHead } = response;
  const hold = (status: number, headers: object): ServerResponse => {
    response.writeHead = writeHead;
    return response.once('pipe', (file: Readable) => {
      file.once('open', () => response.writeHead(status, { ...headers, ...validators }));
      file.once('error', (error) => endWithout(response, error));
    });
  };
  response.writeHead = hold as typeof writeHead;
}

/** Answers "not found" for a file that cannot be opened, and ends the connection of one that breaks off. */
function endWithout(response: ServerResponse, error: Error): void {
  log.error({ err: error, event: 'file.unreadable' });
  if (response.headersSent) return void response.destroy();
  response.setHeader('Cache-Control', 'no-store');
  response.statusCode = 404;
  response.end();
}
