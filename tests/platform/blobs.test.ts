import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { encryptFrames } from '#platform/storage/blob-frames.server.ts';
import {
  commitBlob,
  listStored,
  putBlob,
  putStored,
  readBlob,
  removeBlob,
  storedBytes,
  sweepBlobs,
  type StoredBlob,
} from '#platform/storage/blobs.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { db, inTransaction, migrate } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';

/*
 * Requirements for every blob store, on files or in a bucket; those for files only are in blob-files.test.ts.
 */

const MAX_BYTES_STORED = 1_000_000;

beforeAll(migrate);

/** A source that repeats chunks of these sizes. */
function* pieces(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let from = 0, i = 0; from < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] ?? 1;
    yield bytes.subarray(from, from + size);
    from += size;
  }
}
const source = (bytes: Buffer, ...sizes: number[]): Readable =>
  Readable.from(pieces(bytes, sizes.length > 0 ? sizes : [65_536]));
const stored = (key: string): Promise<Buffer> => buffer(readBlob(key));

async function storedBlob(bytes: Buffer, ...sizes: number[]): Promise<StoredBlob> {
  const blob = await putBlob(source(bytes, ...sizes), 20 * MAX_BYTES_STORED);
  await commitBlob(blob);
  return blob;
}

const names = async (): Promise<string[]> =>
  (await Array.fromAsync(listStored())).map(({ key }) => key).toSorted();

test.each([
  ['nothing', 0, [1]],
  ['one byte', 1, [1]],
  ['one byte less than what is looked at', 4099, [4099]],
  ['exactly what is looked at', 4100, [1000]],
  ['one byte more', 4101, [4100, 1]],
  ['a file byte by byte', 5000, [1]],
  ['one frame less a byte', 65_535, [65_535]],
  ['one frame', 65_536, [65_536]],
  ['one frame and a byte', 65_537, [1000]],
  ['a file in pieces of all sizes', 300_000, [1, 7, 65_536, 3, 4096, 100_000]],
  ['a file of several parts', 11 * MAX_BYTES_STORED, [65_536]],
])('%s is read back byte for byte, with its size, SHA-256 and CRC-32', async (_, size, sizes) => {
  const bytes = randomBytes(size);
  const blob = await storedBlob(bytes, ...sizes);
  expect(blob).toMatchObject({
    size,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    crc32: crc32(bytes),
  });
  expect((await stored(blob.key)).equals(bytes)).toBe(true);
});

test('streaming a large file does not accumulate buffers', async () => {
  const frame = randomBytes(65_536);
  const megabytes = 250;
  const source = async function* (): AsyncGenerator<Buffer> {
    for (let i = 0; i < megabytes * 16; i += 1) yield frame;
  };
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for await (const piece of encryptFrames(source(), randomBytes(32), 'a name'))
    if (piece.length > 16) most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  expect(most / 1024 ** 2, 'MiB; without help V8 waits for more than 50').toBeLessThan(32);
});

test('a file of the maximum size is stored; one byte more is refused as too large and leaves nothing behind', async () => {
  expect((await putBlob(source(randomBytes(MAX_BYTES_STORED)), MAX_BYTES_STORED)).size).toBe(
    MAX_BYTES_STORED,
  );
  const before = await names();
  const error = await putBlob(source(randomBytes(MAX_BYTES_STORED + 1)), MAX_BYTES_STORED).catch(
    (reason: unknown) => reason,
  );
  expect(refusal(error)).toMatchObject({
    code: 'TOO_LARGE',
    status: 413,
    details: { most: MAX_BYTES_STORED },
  });
  expect(await names()).toEqual(before);
});

test('two files with the same content are stored separately, and neither reveals its content', async () => {
  const text = Buffer.from('a salary of 4,711 '.repeat(10));
  const [a, b] = await Promise.all([storedBlob(text), storedBlob(text)]);
  expect(a.key).not.toBe(b.key);
  const bytesOf = ({ key, size }: StoredBlob): Promise<Buffer> => buffer(storedBytes(key, size, true).bytes);
  const [first, second] = [await bytesOf(a), await bytesOf(b)];
  expect(first).not.toEqual(second);
  expect(first.includes('salary')).toBe(false);
  await removeBlob(a.key);
  expect(await stored(b.key)).toEqual(text);
});

test('an endless file is refused as soon as it is too large', async () => {
  let received = 0;
  const endless = Readable.from(
    (function* () {
      for (;;) {
        received += 65_536;
        yield Buffer.alloc(65_536);
      }
    })(),
  );
  await expect(putBlob(endless, MAX_BYTES_STORED)).rejects.toThrow('TOO_LARGE');
  expect(received).toBeLessThan(MAX_BYTES_STORED + 40 * 65_536);
  expect(endless.destroyed, 'the rest of the stream is its owner’s, who may have to read on').toBe(false);
  endless.destroy();
});

test.each([0, 1, 5000, 500_000, 12_000_000])(
  'an upload that is aborted after %i bytes leaves nothing behind',
  async (size) => {
    const before = await names();
    const broken = Readable.from(
      (function* () {
        if (size > 0) yield* pieces(randomBytes(size), [65_536]);
        throw new Error('the connection was lost');
      })(),
    );
    await expect(putBlob(broken, 20 * MAX_BYTES_STORED)).rejects.toThrow('the connection was lost');
    expect(await names()).toEqual(before);
  },
);

test('an upload whose sender disconnects leaves nothing behind', async () => {
  const before = await names();
  const sender = new Readable({ read() {} });
  sender.push(randomBytes(10_000));
  const storing = putBlob(sender, MAX_BYTES_STORED);
  sender.destroy();
  await expect(storing).rejects.toThrow();
  expect(await names()).toEqual(before);
});

test.each([
  ['a short file', 10],
  ['a file as long as what is looked at', 4100],
  ['a long file', 500_000],
])('%s that fails inspection leaves nothing behind', async (_, size) => {
  const before = await names();
  const refuse = (): never => {
    throw new Error('a program');
  };
  await expect(putBlob(source(randomBytes(size), 100), MAX_BYTES_STORED, refuse)).rejects.toThrow(
    'a program',
  );
  expect(await names()).toEqual(before);
});

test.each([
  [0, [1]],
  [10, [1]],
  [4099, [50]],
  [4100, [41]],
  [10_000, [10_000]],
  [10_000, [1, 4098, 3]],
])('of %i bytes in chunks of %j the first 4,100 are inspected, once', async (size, sizes) => {
  const bytes = randomBytes(size);
  const seen: Buffer[] = [];
  await putBlob(source(bytes, ...sizes), MAX_BYTES_STORED, (head) => void seen.push(Buffer.from(head)));
  expect(seen).toEqual([bytes.subarray(0, 4100)]);
});

test.each([
  [0, 0],
  [0, 199_999],
  [199_999, 199_999],
  [65_535, 65_536],
  [65_536, 131_071],
  [131_072, 131_072],
  [1000, 150_000],
  [150_000, 300_000],
])('reading bytes %i to %i of a file of 200,000 bytes returns exactly these bytes', async (start, end) => {
  const bytes = randomBytes(200_000);
  const { key } = await storedBlob(bytes);
  expect(await buffer(readBlob(key, { start, end }))).toEqual(bytes.subarray(start, end + 1));
});

test.each([
  '',
  '..',
  '../../portal.db',
  '/etc/passwd',
  'incoming/x',
  'a'.repeat(35),
  '../'.repeat(12),
  'ABCDEF00-0000-4000-8000-000000000000',
  '00000000-0000-4000-8000-000000000000\n',
])('%j is not a valid key of the blob store', async (key) => {
  expect(() => readBlob(key)).toThrow('not a blob key');
  await expect(removeBlob(key)).rejects.toThrow('not a blob key');
});

test('removing a missing blob succeeds, reading it fails', async () => {
  const { key } = await storedBlob(Buffer.from('x'));
  await removeBlob(key);
  await removeBlob(key);
  await expect(stored(key)).rejects.toThrow();
});

test('blobs stored before encryption was introduced are still readable', async () => {
  const text = Buffer.from('stored in an earlier version');
  const key = '12345678-0000-4000-8000-000000000000';
  await putStored(key, Readable.from([text]));
  await db()
    .insertInto('blobs')
    .values({ blob_key: key, size: text.length, wrapped_key: null, created_at: 1 })
    .execute();
  expect(await stored(key)).toEqual(text);
  expect(await buffer(readBlob(key, { start: 7, end: 8 }))).toEqual(text.subarray(7, 9));
});

test('altered, truncated and swapped blobs are detected', async () => {
  const [one, other] = [await storedBlob(randomBytes(150_000)), await storedBlob(randomBytes(150_000))];
  const lying = await buffer(storedBytes(one.key, one.size, true).bytes);
  const otherLying = await buffer(storedBytes(other.key, other.size, true).bytes);
  const read = async (bytes: Buffer): Promise<Buffer> => {
    await removeBlob(one.key);
    await putStored(one.key, Readable.from([bytes]));
    return stored(one.key);
  };
  const frame = 65_552;
  for (const at of [0, 65_000, frame - 1, frame, lying.length - 1]) {
    const changed = Buffer.from(lying);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    await expect(read(changed), `byte ${at}`).rejects.toThrow();
  }
  await expect(read(lying.subarray(0, lying.length - 1))).rejects.toThrow();
  await expect(read(lying.subarray(0, 2 * frame)), 'without its last frame').rejects.toThrow();
  await expect(
    read(
      Buffer.concat([lying.subarray(frame, 2 * frame), lying.subarray(0, frame), lying.subarray(2 * frame)]),
    ),
    'frames changed places',
  ).rejects.toThrow();
  await expect(read(otherLying), 'the bytes of another blob').rejects.toThrow();
  expect(await read(lying)).toHaveLength(one.size);
});

test('a wrapped key cannot decrypt the blob of another row', async () => {
  const [one, other] = [await storedBlob(Buffer.from('one')), await storedBlob(Buffer.from('two'))];
  await db()
    .updateTable('blobs')
    .set({ wrapped_key: other.wrappedKey })
    .where('blob_key', '=', one.key)
    .execute();
  await expect(stored(one.key)).rejects.toThrow();
});

test('the sweep removes uncommitted blobs and no others', async () => {
  const known = await storedBlob(Buffer.from('a document'));
  const orphan = await putBlob(
    source(Buffer.from('an upload whose row was never written')),
    MAX_BYTES_STORED,
  );
  expect(await names()).toContain(orphan.key);
  await sweepBlobs(Date.now() - HOUR);
  expect(await names(), 'its row may be about to be written').toContain(orphan.key);
  await sweepBlobs(Date.now() + HOUR);
  expect(await names()).not.toContain(orphan.key);
  expect(await stored(known.key)).toEqual(Buffer.from('a document'));
});

test('a blob is committed only if the transaction is', async () => {
  const blob = await putBlob(source(Buffer.from('x')), MAX_BYTES_STORED);
  const broken = inTransaction(async () => {
    await commitBlob(blob);
    throw new Error('the row was refused');
  });
  await expect(broken).rejects.toThrow('the row was refused');
  await expect(stored(blob.key)).rejects.toThrow('unknown blob');
});
