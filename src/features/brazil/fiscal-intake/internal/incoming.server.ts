import { Readable } from 'node:stream';
import { MAX_FISCAL_XML } from '#features/documents/fiscal-xml/read.server.ts';
import { contentOfEnvelope } from './signed-files.server.ts';

/* Incoming files: XML is read into memory, also out of a signed envelope; an archive stays a stream. */

/** An archive as a stream, or the bytes of a file; what is larger than XML may be is read to its end and refused. */
export async function readIncoming(
  bytes: Readable,
): Promise<{ archive: Readable } | { bytes: Buffer } | { refused: 'tooLarge' }> {
  const { head, rest } = await headOf(bytes);
  if (isArchive(head)) return { archive: rest() };
  const whole = await wholeOf(rest());
  const content = 'bytes' in whole ? contentOfEnvelope(whole.bytes) : undefined;
  if (!content) return whole;
  return isArchive(content) ? { archive: Readable.from([content]) } : { bytes: content };
}

/** The signatures of archives, of an empty one too. */
const isArchive = (head: Buffer): boolean =>
  head.length >= 4 && ['504b0304', '504b0506'].includes(head.subarray(0, 4).toString('hex'));

/** The first bytes of a stream, and the stream with them. */
async function headOf(bytes: Readable): Promise<{ head: Buffer; rest: () => Readable }> {
  const chunks = bytes.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  let head = Buffer.alloc(0);
  let isOver = false;
  while (head.length < 4 && !isOver) {
    const { value, done } = await chunks.next();
    if (value) head = Buffer.concat([head, value]);
    isOver = done === true;
  }
  async function* all(): AsyncGenerator<Buffer, void> {
    yield head;
    for (;;) {
      const { value } = await chunks.next();
      if (!value) return;
      yield value;
    }
  }
  return { head, rest: () => Readable.from(all(), { objectMode: false }) };
}

/** A file of XML in memory; what is too large is read to its end and refused. */
async function wholeOf(bytes: Readable): Promise<{ bytes: Buffer } | { refused: 'tooLarge' }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_FISCAL_XML) chunks.push(chunk);
  }
  return size > MAX_FISCAL_XML ? { refused: 'tooLarge' } : { bytes: Buffer.concat(chunks) };
}
