import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Computes size (bytes), SHA-256 (hex) and CRC-32 of a stream, chunk by chunk. */
export class ContentDigest {
  readonly #hash: Hash;
  #size: number;
  #crc32: number;

  constructor(hash: Hash = createHash('sha256'), size = 0, crc = 0) {
    this.#hash = hash;
    this.#size = size;
    this.#crc32 = crc;
  }

  get size(): number {
    return this.#size;
  }

  update(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.#size += chunk.length;
    this.#crc32 = crc32(chunk, this.#crc32);
  }

  /** An independent copy, which can continue from here. */
  copy(): ContentDigest {
    return new ContentDigest(this.#hash.copy(), this.#size, this.#crc32);
  }

  result(): { size: number; sha256: string; crc32: number } {
    return { size: this.#size, sha256: this.#hash.copy().digest('hex'), crc32: this.#crc32 };
  }
}
