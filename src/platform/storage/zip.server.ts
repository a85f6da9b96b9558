import { compose, Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

/**
 * A file of an archive. `size` in bytes, `crc32` of the content, `modifiedAt` in epoch ms; `open` must yield
 * exactly `size` bytes.
 */
export interface ZipEntry {
  name: string;
  size: number;
  crc32: number;
  modifiedAt: number;
  open: () => Readable;
}

type EntryHeader = Omit<ZipEntry, 'open'>;

/** What both headers of an entry say about how its content is written; by default as it is. */
interface Packing {
  flags: number;
  method: number;
  compressed: number;
}
const storedAsIs = (size: number): Packing => ({ flags: UTF8_NAMES, method: STORED, compressed: size });

/** The exact size in bytes of the archive from {@link zipStream}, for the Content-Length. */
export function zipLength(entries: readonly EntryHeader[]): number {
  let length = 0;
  for (const piece of layout(entries)) length += Buffer.isBuffer(piece) ? piece.length : piece.size;
  return length;
}

/**
 * Streams the archive with the memory of one chunk and no disk: stored, not compressed; UTF-8 names; ZIP64
 * where needed (PKWARE APPNOTE 6.3.10). Names are not changed: pass them through `archiveNames` first.
 * Entries are opened one at a time, when reached, and closed when the stream is destroyed. An entry with an
 * unexpected number of bytes destroys the stream with an error, which refers to entries by position because
 * file names stay out of the log.
 */
export function zipStream(entries: readonly ZipEntry[]): Readable {
  let source: Readable | undefined;
  const chunks = archive(entries, (entry) => (source = entry.open()));
  return new Readable({
    read() {
      chunks
        .next()
        .then(({ done, value }) => {
          if (!this.destroyed) this.push(done ? null : value);
        })
        .catch((error: Error) => this.destroy(error));
    },
    destroy(error, done) {
      // not left to the generator, which is unreachable while it waits for a stalled source
      source?.destroy();
      done(error);
    },
  });
}

async function* archive(
  entries: readonly ZipEntry[],
  open: (entry: ZipEntry) => Readable,
): AsyncGenerator<Buffer, void> {
  let position = 0;
  for (const piece of layout(entries)) {
    if (Buffer.isBuffer(piece)) yield piece;
    else yield* exactly(piece.size, open(piece), ++position);
  }
}

async function* exactly(size: number, source: Readable, position: number): AsyncGenerator<Buffer, void> {
  let sent = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    sent += chunk.length;
    if (sent > size) break;
    yield chunk;
  }
  if (sent === size) return;
  throw new Error(
    `entry ${position} of the archive has ${sent > size ? 'more' : 'fewer'} than the ${size} bytes promised`,
  );
}

/**
 * The parts of the archive in order (4.3.6), each entry in place of its content, so that length and bytes
 * have one source.
 */
function* layout<Entry extends EntryHeader>(entries: readonly Entry[]): Generator<Buffer | Entry, void> {
  const offsets: number[] = [];
  let offset = 0;
  for (const entry of entries) {
    const header = localHeader(entry);
    yield header;
    yield entry;
    offsets.push(offset);
    offset += header.length + entry.size;
  }
  let directorySize = 0;
  for (const [index, entry] of entries.entries()) {
    const header = directoryHeader(entry, offsets[index] ?? 0);
    yield header;
    directorySize += header.length;
  }
  yield endRecords(entries.length, directorySize, offset);
}

/** A file of unknown size, whose content is made while it is sent. */
export interface GeneratedEntry {
  name: string;
  content: () => AsyncIterable<string | Uint8Array>;
}

/**
 * Streams an archive whose entries are found while it is written: files of known size as they are, as in {@link
 * zipStream}, and generated ones compressed, whose sizes follow their content (data descriptors, 4.3.9). A generated
 * file has at most 4 GiB, as its readers need no ZIP64. An entry is taken when the one before it is written.
 */
export async function* streamedZip(
  entries: Iterable<ZipEntry | GeneratedEntry> | AsyncIterable<ZipEntry | GeneratedEntry>,
  modifiedAt: number,
): AsyncGenerator<Buffer, void> {
  const directory = new Directory();
  let offset = 0;
  for await (const entry of entries) {
    const start = offset;
    const parts = 'open' in entry ? stored(entry, directory.count + 1) : generated(entry, modifiedAt);
    try {
      let result = await parts.next();
      for (; result.done !== true; result = await parts.next()) {
        offset += result.value.length;
        yield result.value;
      }
      directory.add(result.value(start));
    } finally {
      // closes what the entry reads if the reader of the archive stops in the middle of it
      await parts.return(() => Buffer.alloc(0));
    }
  }
  yield* directory.blocks();
  yield endRecords(directory.count, directory.size, offset);
}

const RECORDS_IN_BLOCK = 64;

/**
 * The records of a directory until they are written. They are copied into blocks of their own: a small buffer is part
 * of a pool of Node's, and would keep all of it, with the pieces of files that are in there too.
 */
class Directory {
  count = 0;
  size = 0;
  readonly #blocks: Buffer[] = [];
  #recent: Buffer[] = [];

  add(record: Buffer): void {
    this.count += 1;
    this.size += record.length;
    this.#recent.push(record);
    if (this.#recent.length === RECORDS_IN_BLOCK) this.#pack();
  }

  blocks(): readonly Buffer[] {
    this.#pack();
    return this.#blocks;
  }

  #pack(): void {
    const block = Buffer.allocUnsafeSlow(this.#recent.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const record of this.#recent) at += record.copy(block, at);
    this.#blocks.push(block);
    this.#recent = [];
  }
}

/** The record of an entry in the directory, for the offset at which the entry begins. */
type DirectoryRecord = (offset: number) => Buffer;

async function* stored(entry: ZipEntry, position: number): AsyncGenerator<Buffer, DirectoryRecord> {
  yield localHeader(entry);
  const source = entry.open();
  try {
    yield* exactly(entry.size, source, position);
  } finally {
    source.destroy();
  }
  return (offset) => directoryHeader(entry, offset);
}

async function* generated(
  { name, content }: GeneratedEntry,
  modifiedAt: number,
): AsyncGenerator<Buffer, DirectoryRecord> {
  const packing = { flags: UTF8_NAMES | SIZES_FOLLOW, method: DEFLATED };
  yield localHeader({ name, size: 0, crc32: 0, modifiedAt }, { ...packing, compressed: 0 });
  const sums = { crc: 0, size: 0, compressed: 0 };
  for await (const chunk of deflated(content(), sums)) {
    sums.compressed += chunk.length;
    yield chunk;
  }
  const { crc, compressed, size } = sums;
  yield record([4, 0x08074b50], [4, crc], [4, compressed], [4, size]);
  return (offset) =>
    directoryHeader({ name, size, crc32: crc, modifiedAt }, offset, { ...packing, compressed });
}

/** Compresses a content, and sums up what it is. */
async function* deflated(
  content: AsyncIterable<string | Uint8Array>,
  sums: { crc: number; size: number },
): AsyncGenerator<Buffer, void> {
  async function* bytes() {
    for await (const part of content) {
      const chunk = typeof part === 'string' ? Buffer.from(part) : part;
      sums.crc = crc32(chunk, sums.crc);
      sums.size += chunk.length;
      yield chunk;
    }
  }
  // destroyed, with what it reads from, when nobody reads on
  const compressed = compose(Readable.from(bytes()), createDeflateRaw({ level: 4 }));
  yield* compressed as AsyncIterable<Buffer>;
}

/** Local file header, 4.3.7; ZIP64 requires both sizes, 4.5.3. */
function localHeader(entry: EntryHeader, packing = storedAsIs(entry.size)): Buffer {
  const { size } = entry;
  const extra = zip64Extra(size >= MAX_32 ? [size, size] : []);
  const version = extra.length > 0 ? ZIP64 : PLAIN;
  const fields = record([4, 0x04034b50], [2, version], ...commonFields(entry, packing), [2, extra.length]);
  return Buffer.concat([fields, Buffer.from(entry.name), extra]);
}

/**
 * Central directory header, 4.3.12; in ZIP64 only the fields that do not fit move to the extra field, 4.5.3.
 */
function directoryHeader(entry: EntryHeader, offset: number, packing = storedAsIs(entry.size)): Buffer {
  const { size } = entry;
  const extra = zip64Extra([size, size, offset].filter((value) => value >= MAX_32));
  const fields = record(
    [4, 0x02014b50],
    [2, MADE_ON_UNIX | ZIP64],
    [2, extra.length > 0 ? ZIP64 : PLAIN],
    ...commonFields(entry, packing),
    [2, extra.length],
    [2, 0], // comment
    [2, 0], // disk
    [2, 0], // internal attributes
    [4, REGULAR_FILE_0644],
    [4, Math.min(offset, MAX_32)],
  );
  return Buffer.concat([fields, Buffer.from(entry.name), extra]);
}

/** The fields of both headers, from the flags to the length of the name. */
const commonFields = (
  { name, size, crc32, modifiedAt }: EntryHeader,
  { flags, method, compressed }: Packing,
): Field[] => [
  [2, flags],
  [2, method],
  [4, dosTime(modifiedAt)],
  [4, crc32],
  [4, Math.min(compressed, MAX_32)],
  [4, Math.min(size, MAX_32)],
  [2, Buffer.byteLength(name)],
];

/** ZIP64 extended information, 4.5.3; empty when not needed. */
function zip64Extra(values: readonly number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0);
  return record([2, 0x0001], [2, values.length * 8], ...values.map((value): Field => [8, value]));
}

/**
 * End of central directory, 4.3.16, preceded by its ZIP64 record, 4.3.14, and locator, 4.3.15, where a field
 * does not fit.
 */
function endRecords(count: number, directorySize: number, directoryOffset: number): Buffer {
  const end = record(
    [4, 0x06054b50],
    [2, 0], // this disk
    [2, 0], // disk of the directory
    [2, Math.min(count, MAX_16)], // on this disk
    [2, Math.min(count, MAX_16)], // in total
    [4, Math.min(directorySize, MAX_32)],
    [4, Math.min(directoryOffset, MAX_32)],
    [2, 0], // comment
  );
  if (count < MAX_16 && directorySize < MAX_32 && directoryOffset < MAX_32) return end;
  const zip64End = record(
    [4, 0x06064b50],
    [8, 44], // bytes that follow in this record
    [2, MADE_ON_UNIX | ZIP64],
    [2, ZIP64],
    [4, 0], // this disk
    [4, 0], // disk of the directory
    [8, count], // on this disk
    [8, count], // in total
    [8, directorySize],
    [8, directoryOffset],
  );
  const locator = record([4, 0x07064b50], [4, 0], [8, directoryOffset + directorySize], [4, 1]);
  return Buffer.concat([zip64End, locator, end]);
}

/** The largest values of two and four bytes, which refer to the ZIP64 record, 4.4.1.4. */
const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;

const PLAIN = 20; // version 2.0 of the format, 4.4.3
const ZIP64 = 45;
const MADE_ON_UNIX = 3 << 8; // 4.4.2
const UTF8_NAMES = 1 << 11; // 4.4.4
const SIZES_FOLLOW = 1 << 3; // 4.4.4
const STORED = 0; // 4.4.5
const DEFLATED = 8;
const REGULAR_FILE_0644 = 0o100644 * 0x10000; // 4.4.15, the Unix mode in the upper half

/** MS-DOS date and time, 4.4.6: UTC in steps of two seconds, clamped to 1980–2107. */
function dosTime(instant: number): number {
  const moment = new Date(
    Math.min(Math.max(instant, Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31, 23, 59, 58)),
  );
  const time = (moment.getUTCHours() << 11) | (moment.getUTCMinutes() << 5) | (moment.getUTCSeconds() >> 1);
  const date =
    ((moment.getUTCFullYear() - 1980) << 9) | ((moment.getUTCMonth() + 1) << 5) | moment.getUTCDate();
  return date * 0x10000 + time;
}

type Field = readonly [width: 2 | 4 | 8, value: number];

/** Writes little-endian fields; throws a RangeError when a value does not fit its width. */
function record(...fields: readonly Field[]): Buffer {
  const bytes = Buffer.alloc(fields.reduce((total, [width]) => total + width, 0));
  let at = 0;
  for (const [width, value] of fields) {
    if (width === 8) bytes.writeBigUInt64LE(BigInt(value), at);
    else bytes.writeUIntLE(value, at, width);
    at += width;
  }
  return bytes;
}
