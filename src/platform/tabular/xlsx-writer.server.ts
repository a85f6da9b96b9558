import { streamedZip } from '../storage/zip.server.ts';

/** A cell: text, which stays text whatever it begins with, a number, or a moment as its local date and time. */
export type SheetCell =
  string | number | { at: Temporal.PlainDateTime } | { on: Temporal.PlainDate } | undefined;

/**
 * Writes a workbook of one sheet (ECMA-376, part 1) while its rows are read, with the memory of a few hundred rows. The
 * first row is the header, which stays in view.
 */
export function writeXlsx(
  rows: AsyncIterable<readonly SheetCell[]>,
  { sheetName, columns, modifiedAt }: { sheetName: string; columns: number; modifiedAt: number },
): AsyncGenerator<Buffer, void> {
  const fixed = (name: string, text: string) => ({ name, content: () => once(XML + text) });
  return streamedZip(
    [
      fixed(
        '[Content_Types].xml',
        `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEET}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SHEET}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${SHEET}.styles+xml"/></Types>`,
      ),
      fixed('_rels/.rels', relationships(['officeDocument', 'xl/workbook.xml'])),
      fixed(
        'xl/workbook.xml',
        `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${escaped(nameOfSheet(sheetName))}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      ),
      fixed(
        'xl/_rels/workbook.xml.rels',
        relationships(['worksheet', 'worksheets/sheet1.xml'], ['styles', 'styles.xml']),
      ),
      fixed('xl/styles.xml', STYLES),
      { name: 'xl/worksheets/sheet1.xml', content: () => sheet(rows, columns) },
    ],
    modifiedAt,
  );
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const SHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Formats of cells by position: plain, the header, date with time and date (the built-in formats 22 and 14). */
const STYLES = `<styleSheet xmlns="${MAIN}"><fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="22" applyNumberFormat="1"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
const HEADER = 1;
const DATE_TIME = 2;
const DATE = 3;

const relationships = (...parts: readonly (readonly [type: string, target: string])[]): string =>
  `<Relationships xmlns="${PACKAGE}/relationships">${parts
    .map(
      ([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`;

async function* once(text: string): AsyncGenerator<string, void> {
  yield text;
}

/** Rows are passed on together, about this many characters at a time. */
const CHUNK = 32_000;

async function* sheet(
  rows: AsyncIterable<readonly SheetCell[]>,
  columns: number,
): AsyncGenerator<string, void> {
  let text = `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols><col min="1" max="${columns}" width="24" customWidth="1"/></cols><sheetData>`;
  const letters = Array.from({ length: columns }, (_, at) => lettersOf(at));
  let number = 0;
  for await (const row of rows) {
    number += 1;
    text += `<row r="${number}">${row.map((cell, at) => cellXml(cell, `${letters[at] ?? ''}${number}`, number === 1)).join('')}</row>`;
    if (text.length < CHUNK) continue;
    yield text;
    text = '';
  }
  yield `${text}</sheetData></worksheet>`;
}

/** A, B … Z, AA: the standard lets a writer leave them out, but not every reader. */
const lettersOf = (at: number): string =>
  (at < 26 ? '' : lettersOf(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26));

/** The most characters of a cell. */
const MAX_CELL = 32_767;

function cellXml(cell: SheetCell, place: string, isHeader: boolean): string {
  if (cell === undefined || cell === '') return '';
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`;
  if (typeof cell === 'object' && 'on' in cell)
    return `<c r="${place}" s="${DATE}"><v>${serialOf(cell.on.toPlainDateTime())}</v></c>`;
  if (typeof cell === 'object') return `<c r="${place}" s="${DATE_TIME}"><v>${serialOf(cell.at)}</v></c>`;
  const text = escaped(cell.slice(0, MAX_CELL).toWellFormed());
  return `<c r="${place}" t="inlineStr"${isHeader ? ` s="${HEADER}"` : ''}><is><t xml:space="preserve">${text}</t></is></c>`;
}

const EPOCH = Temporal.PlainDateTime.from('1899-12-30');
const DAY = 86_400_000;

/** Days since 30 December 1899, as spreadsheets count them. */
const serialOf = (moment: Temporal.PlainDateTime): number =>
  EPOCH.until(moment, { largestUnit: 'hours' }).total('milliseconds') / DAY;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for XML 1.0, without the characters that it cannot contain. */
const escaped = (text: string): string =>
  text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? '');

/** The name of a sheet has at most 31 characters, and none of these. */
const nameOfSheet = (name: string): string =>
  name
    .replace(/[[\]:*?/\\']/g, ' ')
    .trim()
    .slice(0, 31) || 'Sheet1';
