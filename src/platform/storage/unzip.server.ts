import { inflateRawSync } from 'node:zlib';

/** A file of an archive that has been unpacked. */
export interface UnpackedFile {
  name: string;
  bytes: Buffer;
}

/** The archive is damaged, encrypted, or of a kind that is not read here. */
export class NotAnArchive extends Error {}
/** The archive would need more bytes, or has more files, than allowed. */
export class ArchiveTooLarge extends Error {}

interface Limits {
  bytes: number;
  files: number;
}

/**
 * Unpacks an archive of stored or deflated files (PKWARE APPNOTE 6.3.10, without ZIP64), as far as `wanted`
 * names them. What the files say to need is added up before the first one is unpacked, and none may need
 * more than it says.
 */
export function unzip(archive: Buffer, wanted: (name: string) => boolean, max: Limits): UnpackedFile[] {
  try {
    const entries = directoryOf(archive, max.files).filter(({ name }) => wanted(name));
    const total = entries.reduce((sum, { size }) => sum + size, 0);
    if (total > max.bytes) throw new ArchiveTooLarge();
    return entries.map((entry) => ({ name: entry.name, bytes: unpack(archive, entry) }));
  } catch (error) {
    throw error instanceof RangeError ? new NotAnArchive('truncated', { cause: error }) : error;
  }
}

interface Entry {
  name: string;
  method: number;
  packedSize: number;
  size: number;
  start: number;
}

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
/** The end record, with the longest comment. */
const MAX_END = 22 + 65_535;

function directoryOf(archive: Buffer, maxFiles: number): Entry[] {
  const end = endOf(archive);
  const count = archive.readUInt16LE(end + 10);
  if (count > maxFiles) throw new ArchiveTooLarge();
  const entries: Entry[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    if (archive.readUInt32LE(at) !== ENTRY) throw new NotAnArchive('directory');
    const [nameSize, extraSize, commentSize] = [28, 30, 32].map((offset) =>
      archive.readUInt16LE(at + offset),
    );
    const name = archive.subarray(at + 46, at + 46 + (nameSize ?? 0)).toString('utf8');
    if (archive.readUInt16LE(at + 8) & 1) throw new NotAnArchive('encrypted');
    entries.push({
      name,
      method: archive.readUInt16LE(at + 10),
      packedSize: archive.readUInt32LE(at + 20),
      size: archive.readUInt32LE(at + 24),
      start: archive.readUInt32LE(at + 42),
    });
    at += 46 + (nameSize ?? 0) + (extraSize ?? 0) + (commentSize ?? 0);
  }
  return entries;
}

function endOf(archive: Buffer): number {
  for (let at = archive.length - 22; at >= Math.max(0, archive.length - MAX_END); at -= 1)
    if (archive.readUInt32LE(at) === END) return at;
  throw new NotAnArchive('no directory');
}

function unpack(archive: Buffer, { method, packedSize, size, start }: Entry): Buffer {
  if (archive.readUInt32LE(start) !== LOCAL) throw new NotAnArchive('file');
  const from = start + 30 + archive.readUInt16LE(start + 26) + archive.readUInt16LE(start + 28);
  const packed = archive.subarray(from, from + packedSize);
  if (packed.length !== packedSize) throw new NotAnArchive('truncated');
  const bytes = method === 0 ? packed : inflate(packed, method, size);
  if (bytes.length !== size) throw new NotAnArchive('size');
  return bytes;
}

function inflate(packed: Buffer, method: number, size: number): Buffer {
  if (method !== 8) throw new NotAnArchive('method');
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
  } catch (error) {
    throw new NotAnArchive('damaged', { cause: error });
  }
}
