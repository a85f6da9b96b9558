import http from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const BOUNDARY = 'portal-bench';
const LINE_END = Buffer.from('\r\n');
const LAST = Buffer.from(`--${BOUNDARY}--\r\n`);
const CHUNK = 1_000_000;

export const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

export interface SentFile {
  name: string;
  /** Made anew for each use. */
  bytes: () => Iterable<Buffer>;
}

/** The body of a form with files, as a browser sends it, and its length. */
export function multipart(files: readonly SentFile[]): { body: Iterable<Buffer>; length: number } {
  const body = function* (): Generator<Buffer> {
    for (const { name, bytes } of files) {
      yield Buffer.from(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file[]"; filename="${name}"\r\nContent-Type: application/pdf\r\n\r\n`,
      );
      yield* bytes();
      yield LINE_END;
    }
    yield LAST;
  };
  let length = 0;
  for (const piece of body()) length += piece.length;
  return { body: body(), length };
}

interface Sent {
  method: string;
  headers: Record<string, string>;
  length: number;
  body: Iterable<Buffer>;
}

/** Sends a body chunk by chunk, at the pace of its reader, and returns the text of the response. */
export async function send(url: string, { method, headers, length, body }: Sent): Promise<string> {
  const request = http.request(url, {
    method,
    headers: { ...headers, 'content-length': String(length) },
    agent: false,
  });
  const answered = new Promise<string>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        response.statusCode === 200
          ? resolve(text)
          : reject(
              new Error(`${method} ${url} was answered with ${response.statusCode}: ${text.slice(0, 300)}`),
            ),
      );
    });
  });
  await Promise.all([
    pipeline(Readable.from(body, { objectMode: false, highWaterMark: CHUNK }), request),
    answered,
  ]);
  return answered;
}
