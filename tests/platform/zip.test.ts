import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { archiveNames } from '#platform/storage/archive-names.ts';
import { type ZipEntry, zipLength, zipStream } from '#platform/storage/zip.server.ts';

const MOST_32 = 2 ** 32 - 1;
const BEYOND_4_GIB = 2 ** 32 + 5;
const MODIFIED = Date.UTC(2026, 1, 28, 12, 34, 56);
const ZEROS = Buffer.alloc(2 ** 20);

let folder: string;
let archive: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'zip-test-'));
  archive = path.join(folder, 'archive.zip');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('an archive opens in unzip and in Python with the names, contents, times and modes that went in', async () => {
  await write([file('Balanço 2026.pdf', 'um'), file('空.txt', ''), file('👩‍👧.bin', Buffer.alloc(300_000, 7))]);
  await run('unzip', '-tqq', archive);
  expect(await python(BROKEN_FILE)).toBeNull();
  const same = {
    time: [2026, 2, 28, 12, 34, 56],
    mode: '0o100644',
    flags: 0x800,
    method: 0,
    version: 20,
    extra: 0,
  };
  expect(await python(FILES)).toEqual([
    { name: 'Balanço 2026.pdf', size: 2, stored: 2, ...same },
    { name: '空.txt', size: 0, stored: 0, ...same },
    { name: '👩‍👧.bin', size: 300_000, stored: 300_000, ...same },
  ]);
});

test('an archive without files is a valid archive', async () => {
  await write([]);
  expect(await python(FILES)).toEqual([]);
});

test('a time outside the range of the format becomes the nearest possible one', async () => {
  const instants = [Date.UTC(1970, 0, 1), Date.UTC(2200, 0, 1), Date.UTC(2026, 11, 31, 23, 59, 59)];
  await write(instants.map((instant, index) => ({ ...file(`${index}`, ''), modifiedAt: instant })));
  expect(await python('[file.date_time for file in zip.infolist()]')).toEqual([
    [1980, 1, 1, 0, 0, 0],
    [2107, 12, 31, 23, 59, 58],
    [2026, 12, 31, 23, 59, 58],
  ]);
});

test('files with hostile names are extracted beside each other and nowhere else, by unzip and by Python', async () => {
  const names = archiveNames(HOSTILE);
  const sorted = names.toSorted();
  await write(names.map((name) => file(name, name)));
  await run('unzip', '-qq', archive, '-d', path.join(folder, 'unzip'));
  await python('zip.extractall(sys.argv[2])', path.join(folder, 'python'));
  expect((await readdir(path.join(folder, 'unzip'), { recursive: true })).toSorted()).toEqual(sorted);
  expect((await readdir(path.join(folder, 'python'), { recursive: true })).toSorted()).toEqual(sorted);
  expect((await readdir(folder)).toSorted()).toEqual(['archive.zip', 'python', 'unzip']);
});

test('70,000 files are all in the archive and whole', async () => {
  await write(Array.from({ length: 70_000 }, (_, index) => file(`payslip ${index}.txt`, 'x')));
  await run('unzip', '-tqq', archive);
  expect(await python(`[len(zip.namelist()), ${BROKEN_FILE}]`)).toEqual([70_000, null]);
});

test('a file beyond 4 GiB, and one that starts beyond 4 GiB, are readable by unzip and by Python', async () => {
  await write([zeros(BEYOND_4_GIB), file('after.txt', 'still here')]);
  expect(
    await python('[[file.filename, file.file_size, file.header_offset] for file in zip.infolist()]'),
  ).toEqual([
    ['zeros.bin', BEYOND_4_GIB, 0],
    ['after.txt', 10, BEYOND_4_GIB + 30 + 'zeros.bin'.length + 20],
  ]);
  expect(await python('zip.read("after.txt").decode()')).toBe('still here');
  expect(await run('unzip', '-p', archive, 'after.txt')).toBe('still here');
  await run('unzip', '-tqq', archive, 'after.txt');
});

test('the header of a file beyond 4 GiB has both sizes in 64 bits', async () => {
  const stream = zipStream([zeros(BEYOND_4_GIB)]);
  const [header] = (await once(stream, 'data')) as [Buffer];
  stream.destroy();
  expect([
    header.readUInt16LE(4),
    header.readUInt32LE(18),
    header.readUInt32LE(22),
    header.readUInt16LE(28),
  ]).toEqual([45, MOST_32, MOST_32, 20]);
  const extra = header.subarray(30 + 'zeros.bin'.length);
  expect([
    extra.readUInt16LE(0),
    extra.readUInt16LE(2),
    extra.readBigUInt64LE(4),
    extra.readBigUInt64LE(12),
  ]).toEqual([1, 16, BigInt(BEYOND_4_GIB), BigInt(BEYOND_4_GIB)]);
});

test('ZIP64 is used from the first number that does not fit, and not before', () => {
  const END = 56 + 20;
  const bare = (sizes: number[]): number => sizes.reduce((total, size) => total + size + 31 + 47, 22);
  const added = (...sizes: number[]): number =>
    zipLength(sizes.map((size) => ({ ...zeros(size), name: 'a' }))) - bare(sizes);
  expect(added()).toBe(0);
  expect(added(MOST_32 - 32)).toBe(0);
  expect(added(MOST_32 - 31)).toBe(END); // the directory starts beyond the limit
  expect(added(MOST_32 - 1)).toBe(END);
  expect(added(MOST_32)).toBe(20 + 20 + END); // and the size is too large, in both headers
  expect(added(MOST_32 - 32, 1)).toBe(END);
  expect(added(MOST_32 - 31, 1)).toBe(12 + END); // and the second file starts beyond the limit
  expect(added(MOST_32, MOST_32)).toBe(20 + 20 + 20 + 28 + END);
  expect(added(...Array<number>(65_534).fill(0))).toBe(0);
  expect(added(...Array<number>(65_535).fill(0))).toBe(END);
});

test('the announced length of an archive is the length sent, whatever the files are', async () => {
  const anyFile = fc.tuple(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 2000 }));
  await fc.assert(
    fc.asyncProperty(fc.array(anyFile, { maxLength: 8 }), async (files) => {
      const entries = files.map(([name, content]) => file(name, Buffer.from(content)));
      expect(await buffer(zipStream(entries))).toHaveLength(zipLength(entries));
    }),
  );
});

test('one file is open at a time', async () => {
  await writeFile(path.join(folder, 'content'), ZEROS);
  let opened = 0;
  let most = 0;
  const watched = (): Readable => {
    most = Math.max(most, (opened += 1));
    return createReadStream(path.join(folder, 'content')).once('close', () => (opened -= 1));
  };
  await buffer(zipStream(Array.from({ length: 20 }, () => ({ ...zeros(ZEROS.length), open: watched }))));
  expect({ opened, most }).toEqual({ opened: 0, most: 1 });
});

test('an archive reads no more of a file than its recipient has received', async () => {
  let read = 0;
  const counted = (): Readable =>
    Readable.from(
      (function* () {
        for (; ; read += 1) yield ZEROS;
      })(),
    );
  const stream = zipStream([{ ...zeros(BEYOND_4_GIB), open: counted }]);
  const reader = stream.iterator();
  for (let taken = 0; taken < 10; taken += 1) await reader.next();
  for (let turns = 0; turns < 100; turns += 1) await turn();
  expect(read).toBeLessThan(16);
  stream.destroy();
});

test('when a download is aborted, the current file is closed and the next is not opened', async () => {
  const first = Readable.from([ZEROS, ZEROS]);
  const next = { ...zeros(1), open: () => expect.unreachable('the next file was opened') };
  const stream = zipStream([{ ...zeros(2 * ZEROS.length), open: () => first }, next]);
  const reader = stream.iterator();
  await reader.next();
  await reader.next();
  stream.destroy();
  await once(stream, 'close');
  expect(first.destroyed).toBe(true);
});

test('when a download is aborted while a file is stalled, that file is closed all the same', async () => {
  const asked = Promise.withResolvers<void>();
  const stalled = new Readable({ read: () => asked.resolve() });
  const stream = zipStream([{ ...zeros(1), open: () => stalled }]).resume();
  await asked.promise;
  stream.destroy();
  await once(stalled, 'close');
});

test('an archive whose download is never started opens nothing', async () => {
  const stream = zipStream([{ ...zeros(1), open: () => expect.unreachable('a file was opened') }]);
  stream.destroy();
  await once(stream, 'close');
});

test.each([
  ['fewer', 'abc', 4],
  ['more', 'abc', 2],
  ['more', 'abc', 0],
  ['fewer', '', 1],
])(
  'a file with %s bytes than announced ends the download with an error and is closed',
  async (which, content, promised) => {
    const source = Readable.from([Buffer.from(content)].filter((chunk) => chunk.length > 0));
    const stream = zipStream([file('good.txt', 'good'), { ...zeros(promised), open: () => source }]);
    let sent = 0;
    stream.on('data', (chunk: Buffer) => (sent += chunk.length));
    const [error] = (await once(stream, 'error')) as [Error];
    expect(error.message).toBe(`entry 2 of the archive has ${which} than the ${promised} bytes promised`);
    expect(sent).toBeLessThanOrEqual(30 + 'good.txtgood'.length + 30 + 'zeros.bin'.length + promised);
    expect(source.destroyed).toBe(true);
  },
);

test('a file that cannot be opened or read ends the download with that error', async () => {
  const gone = path.join(folder, 'gone');
  await expect(buffer(zipStream([{ ...zeros(1), open: () => createReadStream(gone) }]))).rejects.toThrow(
    'ENOENT',
  );
  const refuse = (): Readable => {
    throw new Error('not a blob key');
  };
  await expect(buffer(zipStream([{ ...zeros(1), open: refuse }]))).rejects.toThrow('not a blob key');
});

const HOSTILE = [
  ...[
    '../../escape',
    '..\\..\\escape',
    '/etc/passwd',
    'C:\\boot.ini',
    '\\\\server\\share',
    '..',
    '.',
    '',
    '~',
    '-rf',
    'a/../b',
  ],
  ...[
    'con',
    'CON',
    'nul.txt',
    'com1.pdf',
    'LPT9',
    'a:b',
    'a*?"<>|',
    'nul\0l',
    'line\nbreak',
    'exe\u202Efdp.exe',
    '\uD800',
    '.hidden',
    'dots...',
  ],
  ...[
    'same.pdf',
    'SAME.pdf',
    'same.PDF',
    'same (1).pdf',
    'é',
    'e\u0301',
    'É',
    'ß',
    'SS',
    `${'ü'.repeat(250)}.pdf`,
    `${'ü'.repeat(251)}.pdf`,
  ],
];

/** Arrange: an entry that contains `content`. */
function file(name: string, content: string | Buffer): ZipEntry {
  const bytes = Buffer.from(content);
  return {
    name,
    size: bytes.length,
    crc32: crc32(bytes),
    modifiedAt: MODIFIED,
    open: () => Readable.from([bytes]),
  };
}

/** Arrange: an entry of `size` zero bytes, without a checksum because no test reads them all. */
function zeros(size: number): ZipEntry {
  const chunks = function* () {
    for (let left = size; left > 0; left -= ZEROS.length)
      yield left < ZEROS.length ? ZEROS.subarray(0, left) : ZEROS;
  };
  return { name: 'zeros.bin', size, crc32: 0, modifiedAt: MODIFIED, open: () => Readable.from(chunks()) };
}

/** Act: the archive on disk, as a sparse file so that 4 GiB need no space; checks its length on the way. */
async function write(entries: ZipEntry[]): Promise<void> {
  const written = openSync(archive, 'wx');
  let length = 0;
  for await (const chunk of zipStream(entries) as AsyncIterable<Buffer>) {
    if (!ZEROS.subarray(0, chunk.length).equals(chunk)) writeSync(written, chunk, 0, chunk.length, length);
    length += chunk.length;
  }
  closeSync(written);
  expect(length).toBe(zipLength(entries));
}

/** Assert: evaluates `expression` in Python, where `zip` is the archive. */
async function python(expression: string, ...rest: string[]): Promise<unknown> {
  const script = `import json, sys, zipfile\nzip = zipfile.ZipFile(sys.argv[1])\nprint(json.dumps(${expression}))`;
  return JSON.parse(await run('python3', '-c', script, archive, ...rest));
}

const BROKEN_FILE = 'zip.testzip()';
const FILES = `[{
  'name': file.filename, 'size': file.file_size, 'stored': file.compress_size, 'time': file.date_time, 'mode': oct(file.external_attr >> 16),
  'flags': file.flag_bits, 'method': file.compress_type, 'version': file.extract_version, 'extra': len(file.extra),
} for file in zip.infolist()]`;

async function run(tool: 'unzip' | 'python3', ...options: string[]): Promise<string> {
  try {
    return (await promisify(execFile)(tool, options, { env: { ...process.env, LC_ALL: 'C.UTF-8' } })).stdout;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new Error(`Install ${tool} to run this test.`);
    throw error;
  }
}
