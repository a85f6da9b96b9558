import type { Readable } from 'node:stream';

/**
 * Reads a whole stream into memory; undefined if it has more than `most` bytes. The rest of it is left to the caller, who may
 * still have to answer the request that it is part of.
 */
export async function readUpTo(source: Readable, most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
