import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { deflateRawSync, crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { archiveEntries, readEntry, type ArchiveSource } from '#platform/storage/zip-reader.server.ts';
import { ArchiveTooLarge, NotAnArchive } from '#platform/storage/unzip.server.ts';
import { streamedZip, zipStream } from '#platform/storage/zip.server.ts';

const LIMITS = { files: 1000, bytes: 10_000_000 };

/** An archive in memory, and which bytes of it were read. */
function sourceOf(bytes: Buffer): ArchiveSource & { reads: number[] } {
  const reads: number[] = [];
  const read = (start: number, end: number): Promise<Buffer> => {
    reads.push(end - start + 1);
    return Promise.resolve(bytes.subarray(start, end + 1));
  };
  return { size: bytes.length, read, reads };
}

const streamed = async (files: Readonly<Record<string, string>>): Promise<Buffer> =>
  buffer(
    Readable.from(
      streamedZip(
        Object.entries(files).map(([name, text]) => ({
          name,
          content: () => Readable.from([Buffer.from(text)]),
        })),
        0,
      ),
    ),
  );

/** An archive of one file with a name as bytes, whose sizes are in a field of ZIP64. */
function handmade(name: Buffer, text: string): Buffer {
  const packed = deflateRawSync(text);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(8, 8);
  local.writeUInt32LE(crc32(text), 14);
  local.writeUInt16LE(name.length, 26);
  const extra = Buffer.alloc(28);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(24, 2);
  for (const [at, value] of [Buffer.byteLength(text), packed.length, 0].entries())
    extra.writeBigUInt64LE(BigInt(value), 4 + at * 8);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(8, 10);
  for (const at of [20, 24, 42]) entry.writeUInt32LE(0xffffffff, at);
  entry.writeUInt16LE(name.length, 28);
  entry.writeUInt16LE(extra.length, 30);
  const directory = Buffer.concat([entry, name, extra]);
  const start = local.length + name.length + packed.length;
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(0x06064b50, 0);
  end64.writeBigUInt64LE(1n, 32);
  end64.writeBigUInt64LE(BigInt(directory.length), 40);
  end64.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(start + directory.length), 8);
  const end = Buffer.alloc(22, 0xff);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(0, 20);
  return Buffer.concat([local, name, packed, directory, end64, locator, end]);
}

test('the files of an archive are listed without folders, and read one at a time', async () => {
  const source = sourceOf(await streamed({ 'a/': '', 'a/1.xml': '<a/>', 'a/2.xml': 'x'.repeat(5000) }));
  const entries = await archiveEntries(source, LIMITS);
  expect(entries.map(({ name, size }) => [name, size])).toEqual([
    ['a/1.xml', 4],
    ['a/2.xml', 5000],
  ]);
  const [first] = entries;
  source.reads.length = 0;
  if (first) expect((await readEntry(source, first)).toString()).toBe('<a/>');
  expect(source.reads).toEqual([30, expect.any(Number)]);
});

test('stored files are read as they are', async () => {
  const bytes = Buffer.from('<a/>');
  const archive = zipStream([
    { name: 'a.xml', size: 4, crc32: crc32(bytes), modifiedAt: 0, open: () => Readable.from([bytes]) },
  ]);
  const source = sourceOf(await buffer(archive));
  const [entry] = await archiveEntries(source, LIMITS);
  if (entry) expect(await readEntry(source, entry)).toEqual(bytes);
  expect(entry?.name).toBe('a.xml');
});

test('ZIP64, and names in code page 437 or in UTF-8 that nothing says, are read', async () => {
  for (const [name, read] of [
    [Buffer.from([0x6e, 0x6f, 0x74, 0x61, 0x87, 0x84, 0x6f]), 'notaçäo'],
    [Buffer.from('notação.xml'), 'notação.xml'],
  ] as const) {
    const source = sourceOf(handmade(name, '<nota/>'));
    const [entry] = await archiveEntries(source, LIMITS);
    expect(entry).toMatchObject({ name: read, size: 7, start: 0 });
    if (entry) expect((await readEntry(source, entry)).toString()).toBe('<nota/>');
  }
});

test('more files or bytes than allowed are refused before one is unpacked', async () => {
  const source = sourceOf(await streamed({ a: 'x'.repeat(100), b: 'y'.repeat(100) }));
  await expect(archiveEntries(source, { files: 1, bytes: 1000 })).rejects.toThrow(ArchiveTooLarge);
  await expect(archiveEntries(source, { files: 2, bytes: 199 })).rejects.toThrow(ArchiveTooLarge);
});

test('an archive that is cut off or changed anywhere is refused or read, and never fails otherwise', async () => {
  const archive = await streamed({ 'a.xml': '<a>text of a file</a>', 'b.xml': '<b/>' });
  for (let at = 0; at < archive.length; at += 1)
    for (const bytes of [archive.subarray(0, at), Buffer.from(archive).fill(0xff, at, at + 1)]) {
      const source = sourceOf(bytes);
      try {
        for (const entry of await archiveEntries(source, LIMITS)) await readEntry(source, entry);
      } catch (error) {
        expect(
          error instanceof NotAnArchive || error instanceof ArchiveTooLarge,
          `byte ${at}: ${String(error)}`,
        ).toBe(true);
      }
    }
});
