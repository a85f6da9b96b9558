import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { readSheet, InvalidInputError } from 'read-excel-file/universal';
import { ArchiveTooLarge, NotAnArchive, unzip, type UnpackedFile } from '../unzip.server.ts';
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
    const files = unzip(bytes, (name) => /\.xml(?:\.rels)?$/.test(name), MAX_UNPACKED);
    if (isTooLong(files)) return { refused: 'TOO_MANY_ROWS', line: MAX_ROWS + 2 };
    const rows = await readSheet(await stored(files));
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

/**
 * Looks at the last row of what is usually the first sheet: the library makes all the rows before it, even if
 * they are empty.
 */
function isTooLong(files: readonly UnpackedFile[]): boolean {
  const sheet = files.find(({ name }) => name === 'xl/worksheets/sheet1.xml')?.bytes;
  const last = sheet?.lastIndexOf('<row ') ?? -1;
  const [, row = '0'] =
    /^<row [^>]*?\br="(\d+)"/.exec(sheet?.toString('latin1', last, last + 200) ?? '') ?? [];
  return Number(row) > MAX_ROWS + MAX_EMPTY;
}

/**
 * Adds the references of cells where a sheet leaves them out, which the standard allows (ECMA-376, part 1,
 * 18.3.1.4) and the library does not.
 */
function withReferences({ name, bytes }: UnpackedFile): UnpackedFile {
  const first = bytes.subarray(bytes.indexOf('<c ')).toString('latin1', 0, 100);
  if (!name.startsWith('xl/worksheets/') || !/^<c (?![^>]*\br=)/.test(first)) return { name, bytes };
  let [row, column] = [0, 0];
  const text = bytes
    .toString('utf8')
    .replaceAll(/<(row|c)\b([^>]*)/g, (_, tag: string, attributes: string) => {
      if (tag === 'row') {
        row = Number(/\br="(\d+)"/.exec(attributes)?.[1] ?? row + 1);
        column = 0;
        return `<row${attributes}`;
      }
      column += 1;
      return `<c r="${columnName(column)}${row}"${attributes}`;
    });
  return { name, bytes: Buffer.from(text) };
}

/** A, B, … Z, AA, … of columns from 1. */
const columnName = (column: number): string =>
  column === 0
    ? ''
    : columnName(Math.floor((column - 1) / 26)) + String.fromCharCode(65 + ((column - 1) % 26));

async function stored(files: readonly UnpackedFile[]): Promise<ArrayBuffer> {
  const archive = zipStream(
    files.map(withReferences).map((file) => ({
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
