import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { noteBytesStreamed } from '../runtime/garbage-collection.server.ts';
import { ArchiveTooLarge, NotAnArchive } from './unzip.server.ts';

/*
 * ZIP archives of any size, read by ranges (PKWARE APPNOTE 6.3.10, with ZIP64): the directory first, then one entry at a
 * time, so that the memory is that of an entry. docs/decisions/0110.
 */

/** Reads the bytes from `start` to `end`, both inclusive. */
type ReadRange = (start: number, end: number) => Promise<Buffer>;

export interface ArchiveSource {
  size: number;
  read: ReadRange;
}

/** A file in an archive. */
export interface ArchiveEntry {
  name: string;
  /** After it is unpacked, as the directory says. */
  size: number;
  isEncrypted: boolean;
  method: number;
  packedSize: number;
  start: number;
}

interface Limits {
  files: number;
  /** The bytes of all files, as the directory says. */
  bytes: number;
}

const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
/** The end record with the longest comment, and the locator before it. */
const MAX_END = 22 + 65_535 + 20;
const MAX_DIRECTORY = 64 * 1024 ** 2;
const UNKNOWN = 0xffffffff;
/** What deflate can at most make of a byte is 1032; documents of text are below a fifth of that. */
const MAX_RATIO = 200;
const SMALL = 1024 ** 2;

const inflate = promisify(inflateRaw);

/** Lists the files of an archive, without folders. NotAnArchive, ArchiveTooLarge. */
export async function archiveEntries(source: ArchiveSource, max: Limits): Promise<ArchiveEntry[]> {
  const { count, offset, size } = await directoryPlace(source);
  if (count > max.files) throw new ArchiveTooLarge();
  if (size > MAX_DIRECTORY || offset + size > source.size) throw new NotAnArchive('directory');
  const entries = size === 0 ? [] : entriesIn(await source.read(offset, offset + size - 1), count);
  const files = entries.filter(({ name }) => !name.endsWith('/'));
  if (files.reduce((sum, entry) => sum + entry.size, 0) > max.bytes) throw new ArchiveTooLarge();
  return files;
}

/** Unpacks a file. It may not need more than the directory says, nor more than 200 times what it has. */
export async function readEntry(source: ArchiveSource, entry: ArchiveEntry): Promise<Buffer> {
  const { start, packedSize, size, method, isEncrypted } = entry;
  if (isEncrypted) throw new NotAnArchive('encrypted');
  if (size > SMALL && size > packedSize * MAX_RATIO) throw new ArchiveTooLarge();
  if (start + 30 > source.size) throw new NotAnArchive('file');
  const header = await source.read(start, start + 29);
  if (header.length < 30 || header.readUInt32LE(0) !== LOCAL) throw new NotAnArchive('file');
  const from = start + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (from + packedSize > source.size) throw new NotAnArchive('truncated');
  const packed = packedSize === 0 ? Buffer.alloc(0) : await source.read(from, from + packedSize - 1);
  const bytes = method === 0 ? packed : await inflated(packed, method, size);
  if (bytes.length !== size) throw new NotAnArchive('size');
  noteBytesStreamed(size);
  return bytes;
}

async function inflated(packed: Buffer, method: number, size: number): Promise<Buffer> {
  if (method !== 8) throw new NotAnArchive('method');
  try {
    return await inflate(packed, { maxOutputLength: Math.max(1, size) });
  } catch (error) {
    throw new NotAnArchive('damaged', { cause: error });
  }
}

async function directoryPlace(
  source: ArchiveSource,
): Promise<{ count: number; offset: number; size: number }> {
  if (source.size < 22) throw new NotAnArchive('no directory');
  const from = Math.max(0, source.size - MAX_END);
  const tail = await source.read(from, source.size - 1);
  const end = endIn(tail);
  const plain = {
    count: tail.readUInt16LE(end + 10),
    size: tail.readUInt32LE(end + 12),
    offset: tail.readUInt32LE(end + 16),
  };
  const locator = end - 20;
  if (locator < 0 || tail.readUInt32LE(locator) !== LOCATOR64) return plain;
  const at = Number(tail.readBigUInt64LE(locator + 8));
  if (at + 56 > source.size) throw new NotAnArchive('directory');
  const record = await source.read(at, at + 55);
  if (record.length < 56 || record.readUInt32LE(0) !== END64) throw new NotAnArchive('directory');
  return {
    count: Number(record.readBigUInt64LE(32)),
    size: Number(record.readBigUInt64LE(40)),
    offset: Number(record.readBigUInt64LE(48)),
  };
}

function endIn(tail: Buffer): number {
  for (let at = tail.length - 22; at >= 0; at -= 1) if (tail.readUInt32LE(at) === END) return at;
  throw new NotAnArchive('no directory');
}

function entriesIn(directory: Buffer, count: number): ArchiveEntry[] {
  const entries: ArchiveEntry[] = [];
  try {
    for (let at = 0; entries.length < count;) {
      if (directory.readUInt32LE(at) !== ENTRY) throw new NotAnArchive('directory');
      const [nameSize, extraSize, commentSize] = [
        directory.readUInt16LE(at + 28),
        directory.readUInt16LE(at + 30),
        directory.readUInt16LE(at + 32),
      ];
      const name = directory.subarray(at + 46, at + 46 + nameSize);
      const extra = directory.subarray(at + 46 + nameSize, at + 46 + nameSize + extraSize);
      const flags = directory.readUInt16LE(at + 8);
      entries.push({
        name: decodeName(name, (flags & 0x800) !== 0),
        isEncrypted: (flags & 1) !== 0,
        method: directory.readUInt16LE(at + 10),
        ...sizesIn(directory, at, extra),
      });
      at += 46 + nameSize + extraSize + commentSize;
    }
  } catch (error) {
    throw error instanceof RangeError ? new NotAnArchive('truncated', { cause: error }) : error;
  }
  return entries;
}

/** The sizes and the place of an entry, of which those that do not fit are in its extra field (4.5.3). */
function sizesIn(
  directory: Buffer,
  at: number,
  extra: Buffer,
): Pick<ArchiveEntry, 'size' | 'packedSize' | 'start'> {
  const plain = [24, 20, 42].map((offset) => directory.readUInt32LE(at + offset));
  const large = extraField(extra, 1);
  let next = 0;
  const [size = 0, packedSize = 0, start = 0] = plain.map((value) => {
    if (value !== UNKNOWN || !large || next + 8 > large.length) return value;
    next += 8;
    return Number(large.readBigUInt64LE(next - 8));
  });
  return { size, packedSize, start };
}

function extraField(extra: Buffer, wanted: number): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length;) {
    const [id, length] = [extra.readUInt16LE(at), extra.readUInt16LE(at + 2)];
    if (id === wanted) return extra.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
  return undefined;
}

/** The upper half of code page 437, which names have that do not say that they are UTF-8 (Appendix D). */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■ ';

/** Many programs write UTF-8 without saying so: what is valid UTF-8 is read as that. */
function decodeName(name: Buffer, isUtf8: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: !isUtf8 }).decode(name);
  } catch {
    return [...name].map((byte) => (byte < 128 ? String.fromCharCode(byte) : CP437[byte - 128])).join('');
  }
}
