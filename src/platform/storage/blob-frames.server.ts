import { createCipheriv, createDecipheriv, type CipherGCM } from 'node:crypto';
import { noteBytesStreamed } from '../runtime/garbage-collection.server.ts';
import { damaged } from '../runtime/errors.server.ts';

/*
 * A blob at rest: AES-256-GCM in frames of 64 KiB, each followed by its 16-byte tag, under a key of its own.
 * The nonce is the frame number, and the blob name is authenticated with each frame, so frames cannot be
 * changed, reordered or taken from another blob, and a range can be read without what precedes it. The plain
 * size is in the database, which detects truncation.
 */

const CIPHER = 'aes-256-gcm';
const PLAIN = 64 * 1024;
const TAG = 16;
const STORED = PLAIN + TAG;

/** The stored size of a blob of `size` plain bytes. */
export const storedSize = (size: number): number => size + Math.ceil(size / PLAIN) * TAG;

function nonce(index: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUIntBE(index, 6, 6);
  return bytes;
}

/** Encrypts a stream of chunks of any size. */
export async function* encryptFrames(
  plain: AsyncIterable<Buffer>,
  key: Buffer,
  name: string,
): AsyncGenerator<Buffer, void> {
  const associated = Buffer.from(name);
  let cipher: CipherGCM | undefined;
  let index = 0;
  let filled = 0;
  for await (const chunk of plain) {
    for (let from = 0; from < chunk.length;) {
      cipher ??= createCipheriv(CIPHER, key, nonce(index++)).setAAD(associated);
      const piece = chunk.subarray(from, from + PLAIN - filled);
      yield cipher.update(piece);
      from += piece.length;
      filled += piece.length;
      if (filled < PLAIN) continue;
      yield tagOf(cipher);
      cipher = undefined;
      filled = 0;
    }
    noteBytesStreamed(chunk.length);
  }
  if (cipher) yield tagOf(cipher);
}

function tagOf(cipher: CipherGCM): Buffer {
  cipher.final(); // returns no bytes in GCM mode
  return cipher.getAuthTag();
}

/**
 * The stored byte range (inclusive) that holds the plain bytes `start`–`end` (inclusive) of a blob of `size`
 * bytes.
 */
export function framesAround(size: number, start: number, end: number): { start: number; end: number } {
  const last = Math.floor(end / PLAIN);
  return {
    start: Math.floor(start / PLAIN) * STORED,
    end: Math.min(last * STORED + STORED, storedSize(size)) - 1,
  };
}

/**
 * Decrypts the stored bytes of {@link framesAround} and yields exactly the plain bytes `start`–`end`. Throws
 * DAMAGED when they differ from what was stored.
 */
export async function* decryptFrames(
  stored: AsyncIterable<Buffer>,
  key: Buffer,
  name: string,
  start: number,
  end: number,
): AsyncGenerator<Buffer, void> {
  const associated = Buffer.from(name);
  let index = Math.floor(start / PLAIN);
  let position = index * PLAIN;
  for await (const frame of rechunk(stored, STORED)) {
    if (frame.length <= TAG) throw damaged(new Error(`the stored blob ${name} is truncated`));
    const decipher = createDecipheriv(CIPHER, key, nonce(index++)).setAAD(associated);
    decipher.setAuthTag(frame.subarray(-TAG));
    const plain = decipher.update(frame.subarray(0, -TAG));
    try {
      decipher.final();
    } catch (error) {
      throw damaged(error);
    }
    yield plain.subarray(Math.max(0, start - position), Math.min(plain.length, end + 1 - position));
    position += plain.length;
    noteBytesStreamed(frame.length);
  }
  if (position <= end) throw damaged(new Error(`the stored blob ${name} is truncated`));
}

/** Re-chunks into pieces of exactly `size` bytes, the last one shorter. A chunk that fits is not copied. */
async function* rechunk(chunks: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer, void> {
  let held: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let from = 0;
    while (length + chunk.length - from >= size) {
      const to = from + size - length;
      const piece = chunk.subarray(from, to);
      yield held.length === 0 ? piece : Buffer.concat([...held, piece]);
      held = [];
      length = 0;
      from = to;
    }
    if (from < chunk.length) {
      held.push(from === 0 ? chunk : chunk.subarray(from));
      length += chunk.length - from;
    }
  }
  if (length > 0) yield Buffer.concat(held);
}
