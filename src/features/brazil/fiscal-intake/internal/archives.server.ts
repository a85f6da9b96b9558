import { buffer } from 'node:stream/consumers';
import { readBlob } from '#platform/storage/blobs.server.ts';
import {
  archiveEntries,
  readEntry,
  type ArchiveEntry,
  type ArchiveSource,
} from '#platform/storage/zip-reader.server.ts';
import { ArchiveTooLarge, NotAnArchive } from '#platform/storage/unzip.server.ts';
import { MAX_FISCAL_XML } from '#features/documents/fiscal-xml/read.server.ts';
import { MAX_ENTRIES, type Refusal } from '../fiscal-intake.ts';
import { contentOfEnvelope } from './signed-files.server.ts';

/* The files of an archive, also of those that are in it, one after the other. */

const MAX_BYTES = 4 * 1024 ** 3;
/** Archives within an archive are read into memory. */
const MAX_INNER = 64 * 1024 ** 2;
/** What file managers add. */
const LITTER = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/;

/** A file of an archive, or why it cannot be read. */
export interface ArchivedFile {
  name: string;
  read: () => Promise<{ bytes: Buffer } | { refused: Refusal }>;
}

/** Lists the files of a stored archive in a fixed order, or says why there are none. */
export async function filesInArchive(blobKey: string, size: number): Promise<Listed> {
  const source: ArchiveSource = {
    size,
    read: (start, end) => buffer(readBlob(blobKey, { start, end })),
  };
  return listed(inWindows(source), { prefix: '', isInner: false });
}

/** How much is read at once: some frames of a blob, and some ten files. */
const WINDOW = 256 * 1024;

/** Reads an archive in larger pieces, of which it keeps the last one: its files mostly follow one another. */
function inWindows({ size, read }: ArchiveSource): ArchiveSource {
  let window: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  return {
    size,
    read: async (start, end) => {
      if (start < window.start || end >= window.start + window.bytes.length) {
        const from = start - (start % WINDOW);
        const to = Math.min(size - 1, Math.max(end, from + WINDOW - 1));
        window = { start: from, bytes: await read(from, to) };
      }
      return window.bytes.subarray(start - window.start, end + 1 - window.start);
    },
  };
}

type Listed = { files: ArchivedFile[] } | { refused: Refusal };

async function listed(
  source: ArchiveSource,
  { prefix, isInner }: { prefix: string; isInner: boolean },
): Promise<Listed> {
  let entries: ArchiveEntry[];
  try {
    entries = await archiveEntries(source, { files: MAX_ENTRIES, bytes: MAX_BYTES });
  } catch (error) {
    return { refused: refusalOf(error, 'damaged') };
  }
  const files: ArchivedFile[] = [];
  let inner = 0;
  for (const entry of entries.filter(({ name }) => !LITTER.test(name))) {
    const name = prefix + entry.name;
    const isArchive = /\.zip$/i.test(entry.name);
    inner += isArchive ? entry.size : 0;
    const isTooLarge = inner > MAX_INNER;
    if (isArchive) files.push(...(await innerFiles(source, entry, { name, isInner, isTooLarge })));
    else files.push({ name, read: () => readFile(source, entry) });
    if (files.length > MAX_ENTRIES) return { refused: 'archiveTooLarge' };
  }
  return files.length === 0 ? { refused: 'emptyArchive' } : { files };
}

/** The files of an archive within an archive; one within that is not read. */
async function innerFiles(
  source: ArchiveSource,
  entry: ArchiveEntry,
  { name, isInner, isTooLarge }: { name: string; isInner: boolean; isTooLarge: boolean },
): Promise<ArchivedFile[]> {
  const refused = (code: Refusal): ArchivedFile[] => [
    { name, read: () => Promise.resolve({ refused: code }) },
  ];
  if (isInner) return refused('nested');
  if (isTooLarge) return refused('archiveTooLarge');
  try {
    const bytes = await readEntry(source, entry);
    const inner: ArchiveSource = {
      size: bytes.length,
      read: (start, end) => Promise.resolve(bytes.subarray(start, end + 1)),
    };
    const found = await listed(inner, { prefix: `${name}/`, isInner: true });
    return 'refused' in found ? refused(found.refused) : found.files;
  } catch (error) {
    return refused(refusalOf(error, 'damaged'));
  }
}

async function readFile(
  source: ArchiveSource,
  entry: ArchiveEntry,
): Promise<{ bytes: Buffer } | { refused: Refusal }> {
  if (!/\.(?:xml|p7m)$/i.test(entry.name)) return { refused: 'notRead' };
  if (entry.size > MAX_FISCAL_XML) return { refused: 'tooLarge' };
  try {
    const bytes = await readEntry(source, entry);
    return { bytes: contentOfEnvelope(bytes) ?? bytes };
  } catch (error) {
    return { refused: refusalOf(error, 'damaged') };
  }
}

function refusalOf(error: unknown, otherwise: Refusal): Refusal {
  if (error instanceof ArchiveTooLarge) return 'archiveTooLarge';
  if (error instanceof NotAnArchive) return error.message === 'encrypted' ? 'encrypted' : otherwise;
  throw error;
}
