import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { readSheet, InvalidInputError } from 'read-excel-file/universal';
import { ArchiveTooLarge, NotAnArchive, unzip, type UnpackedFile } from '../storage/unzip.server.ts';
import { zipStream } from '../storage/zip.server.ts';
import { withoutFormulaQuote } from './formula-quotes.ts';
import { MAX_COLUMNS, MAX_ROWS, tableOf, type TablePlace, type Tabular } from './tabular.ts';

/** The folder of every workbook; other archives are documents, and spreadsheets of other programs (.ods). */
const WORKBOOK = 'xl/';
/** What the XML of a workbook may need when it is unpacked. */
const MAX_UNPACKED = { bytes: 50_000_000, files: 1000 };

/**
 * Reads a sheet of a workbook: by default the first one with a table. Of a formula its last result is taken, as the program that saved the
 * file stored it; nothing is calculated. The archive is unpacked here, where the bytes are counted, and
 * handed over stored: the library would trust the sizes in it, and start threads without limits.
 */
export async function readXlsx(bytes: Buffer, place: TablePlace = {}): Promise<Tabular> {
  try {
    const files = unzip(bytes, (name) => /\.xml(?:\.rels)?$/.test(name), MAX_UNPACKED);
    if (!files.some(({ name }) => name.startsWith(WORKBOOK))) return { refused: 'NOT_A_TABLE' };
    if (isTooLong(files)) return { refused: 'TOO_MANY_ROWS', line: MAX_ROWS + 2 };
    const sheets = sheetNames(files);
    const archive = await stored(files);
    if (place.sheet !== undefined) {
      const wanted = place.sheet.trim();
      const named = sheets.findIndex((name) => name.toLowerCase() === wanted.toLowerCase()) + 1;
      const number = named > 0 ? named : Number(wanted);
      if (!Number.isInteger(number) || number < 1 || number > Math.max(1, sheets.length))
        return { refused: 'NO_SUCH_SHEET' };
      return inSheet(await sheetOf(archive, number, place), sheets, number);
    }
    const first = await sheetOf(archive, 1, place);
    for (let number = 1; number <= Math.min(sheets.length, MAX_SHEETS); number += 1) {
      const table = number === 1 ? first : await sheetOf(archive, number, place);
      if (isTable(table)) return inSheet(table, sheets, number);
    }
    return inSheet(first, sheets, 1);
  } catch (error) {
    if (error instanceof ArchiveTooLarge) return { refused: 'TOO_LARGE' };
    if (error instanceof NotAnArchive || error instanceof InvalidInputError)
      return { refused: 'NOT_A_TABLE' };
    return { refused: 'DAMAGED' };
  }
}

/** How many sheets are looked at for a table. */
const MAX_SHEETS = 20;

async function sheetOf(archive: ArrayBuffer, number: number, { headingLine }: TablePlace): Promise<Tabular> {
  const rows = await readSheet(archive, number);
  if (rows.length > MAX_ROWS + MAX_EMPTY) return { refused: 'TOO_MANY_ROWS', line: MAX_ROWS + 2 };
  if (rows.some((row) => row.length > MAX_WIDTH)) return { refused: 'TOO_MANY_COLUMNS' };
  return tableOf(
    rows.map((row, index) => ({ line: index + 1, cells: row.map(textOf) })),
    { headingLine, hasPlaces: true },
  );
}

/** Whether there is more than a column of text, such as instructions. */
const isTable = (table: Tabular): boolean =>
  'refused' in table
    ? table.refused !== 'EMPTY'
    : table.columns.filter((name) => name !== '').length > 1 && table.rows.length > 0;

const inSheet = (table: Tabular, sheets: string[], number: number): Tabular =>
  'refused' in table ? table : { ...table, sheet: sheets[number - 1] ?? '', sheets };

/** The names of the sheets in their order. */
function sheetNames(files: readonly UnpackedFile[]): string[] {
  const workbook = files.find(({ name }) => name === 'xl/workbook.xml')?.bytes.toString('utf8') ?? '';
  return [...workbook.matchAll(/<(?:\w+:)?sheet\s[^>]*?\bname="([^"]*)"/g)].map(([, name = '']) =>
    name
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&apos;', "'")
      .replaceAll('&amp;', '&'),
  );
}

/** Empty rows between others, and empty columns at the end, are left out later. */
const MAX_EMPTY = 10_000;
const MAX_WIDTH = MAX_COLUMNS * 10;

/**
 * Looks at the number of every row of every sheet, whichever of them is read: the library makes all the rows before it,
 * even if they are empty, and which sheet is the first one is in another file.
 */
const isTooLong = (files: readonly UnpackedFile[]): boolean =>
  files.some(({ bytes }) => bytes.includes('<row') && highestRow(bytes) > MAX_ROWS + MAX_EMPTY);

/** The highest number that a row, or a cell by its reference, has. */
function highestRow(sheet: Buffer): number {
  let highest = 0;
  for (const [, row = '0'] of sheet.toString('latin1').matchAll(/\br\s*=\s*["'][A-Z]{0,3}(\d{1,9})["']/g))
    highest = Math.max(highest, Number(row));
  return highest;
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

/** A number format of zeros only, with punctuation: `00000`, `00\\.000\\.000`. The dot alone is for decimals. */
const ZEROS = /^(?:0|[-/() ]|\\.|"[^"]*"){2,80}$/;

/** The digits that a cell of each style has at least, by the index of the style; none for other formats. */
function widthsOf(files: readonly UnpackedFile[]): Map<string, number> {
  const styles = files.find(({ name }) => name === 'xl/styles.xml')?.bytes.toString('utf8') ?? '';
  const formats = new Map<string, number>();
  for (const [tag] of styles.matchAll(/<(?:\w+:)?numFmt\s[^>]*>/g)) {
    const id = /\bnumFmtId="(\d+)"/.exec(tag)?.[1] ?? '';
    const code = (/\bformatCode="([^"]*)"/.exec(tag)?.[1] ?? '').replaceAll('&quot;', '"');
    const zeros = code.replaceAll(/\\.|"[^"]*"/g, '').replaceAll(/[^0]/g, '').length;
    if (ZEROS.test(code) && zeros > 1) formats.set(id, zeros);
  }
  const cells = /<(?:\w+:)?cellXfs\b[\s\S]*?<\/(?:\w+:)?cellXfs>/.exec(styles)?.[0] ?? '';
  const widths = new Map<string, number>();
  for (const [index, [tag]] of [...cells.matchAll(/<(?:\w+:)?xf\b[^>]*>/g)].entries()) {
    const width = formats.get(/\bnumFmtId="(\d+)"/.exec(tag)?.[1] ?? '');
    if (width !== undefined) widths.set(String(index), width);
  }
  return widths;
}

/**
 * Makes texts of cells that the library does not read as they are shown: errors, which it leaves empty, and numbers with
 * leading zeros by their format.
 */
function asShown({ name, bytes }: UnpackedFile, widths: ReadonlyMap<string, number>): UnpackedFile {
  if (!name.startsWith('xl/worksheets/') || (widths.size === 0 && !bytes.includes('t="e"')))
    return { name, bytes };
  const text = bytes
    .toString('utf8')
    .replaceAll(
      /<c\b([^>]*[^>/])>(<f\b[^>]*>[^<]*<\/f>|<f\b[^>]*\/>)?<v>([^<]*)<\/v>/g,
      (whole, attributes: string, formula: string | undefined, value: string) => {
        const type = /\bt="(\w+)"/.exec(attributes)?.[1] ?? 'n';
        const width = widths.get(/\bs="(\d+)"/.exec(attributes)?.[1] ?? '');
        const isPadded = type === 'n' && width !== undefined && /^\d{1,15}$/.test(value);
        if (type !== 'e' && !isPadded) return whole;
        const shown = isPadded ? value.padStart(width, '0') : value;
        return `<c${attributes.replace(/\s*\bt="\w+"/, '')} t="str">${formula ?? ''}<v>${shown}</v>`;
      },
    );
  return { name, bytes: Buffer.from(text) };
}

async function stored(files: readonly UnpackedFile[]): Promise<ArrayBuffer> {
  const widths = widthsOf(files);
  const archive = zipStream(
    files
      .map(withReferences)
      .map((file) => asShown(file, widths))
      .map((file) => ({
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

/**
 * A cell as a person would type it: dates as ISO 8601, numbers with the 15 digits that spreadsheets keep. Those with
 * more have lost some, and keep their exponent, by which they are recognized: `1.22E+16`.
 */
function textOf(value: unknown): string {
  if (value instanceof Date) {
    const [day = '', time = ''] = value.toISOString().split('T');
    return time.startsWith('00:00:00') ? day : `${day} ${time.slice(0, 5)}`;
  }
  if (typeof value === 'number')
    return Math.abs(value) >= 1e15
      ? value.toExponential(14).replace(/0*e/, 'E').replace('.E', 'E')
      : String(Number(value.toPrecision(15)));
  return typeof value === 'string'
    ? withoutFormulaQuote(value)
    : value === true
      ? 'true'
      : value === false
        ? 'false'
        : '';
}
