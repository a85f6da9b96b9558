import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { readSheet, InvalidInputError } from 'read-excel-file/universal';
import { ArchiveTooLarge, NotAnArchive, unzip } from '../unzip.server.ts';
import { zipStream } from '../zip.server.ts';
import { withoutFormulaQuote } from './formula-quotes.ts';
import { MAX_COLUMNS, MAX_ROWS, tableOf, type Tabular } from './tabular.ts';

/** What the XML of a workbook may need when it is unpacked. */
const MAX_UNPACKED = { bytes: 50_000_000, files: 1000 };

/**
 * Reads the first sheet of a workbook. Of a formula its last result is taken, as the program that saved the
 * file stored it; nothing is calculated. The archive is unpacked here, where the bytes are counted, and
 * handed over stored: the library would trust the sizes in it, and start threads without limits.
 */
export async function readXlsx(bytes: Buffer): Promise<Tabular> {
  try {
    const rows = await readSheet(await stored(bytes));
    if (rows.length > MAX_ROWS + MAX_EMPTY) return { refused: 'TOO_MANY_ROWS', line: MAX_ROWS + 2 };
    if (rows.some((row) => row.length > MAX_WIDTH)) return { refused: 'TOO_MANY_COLUMNS' };
    return tableOf(rows.map((row, index) => ({ line: index + 1, cells: row.map(textOf) })));
  } catch (error) {
    if (error instanceof ArchiveTooLarge) return { refused: 'TOO_LARGE' };
    if (error instanceof NotAnArchive || error instanceof InvalidInputError)
      return { refused: 'NOT_A_TABLE' };
    return { refused: 'DAMAGED' };
  }
}

/** Empty rows between others, and empty columns at the end, are left out later. */
const MAX_EMPTY = 10_000;
const MAX_WIDTH = MAX_COLUMNS * 10;

async function stored(bytes: Buffer): Promise<ArrayBuffer> {
  const files = unzip(bytes, (name) => /\.xml(?:\.rels)?$/.test(name), MAX_UNPACKED);
  const archive = zipStream(
    files.map((file) => ({
      name: file.name,
      size: file.bytes.length,
      crc32: crc32(file.bytes),
      modifiedAt: 0,
      open: () => Readable.from([file.bytes]),
    })),
  );
  const { buffer: memory, byteOffset, byteLength } = await buffer(archive);
  return new Uint8Array(memory, byteOffset, byteLength).slice().buffer;
}

/** A cell as a person would type it: dates as ISO 8601, numbers without an exponent. */
function textOf(value: unknown): string {
  if (value instanceof Date) {
    const [day = '', time = ''] = value.toISOString().split('T');
    return time.startsWith('00:00:00') ? day : `${day} ${time.slice(0, 5)}`;
  }
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? BigInt(value).toString() : String(value);
  return typeof value === 'string'
    ? withoutFormulaQuote(value)
    : value === true
      ? 'true'
      : value === false
        ? 'false'
        : '';
}
