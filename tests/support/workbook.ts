import { crc32, deflateRawSync } from 'node:zlib';

interface Packed {
  name: string;
  packed: Buffer;
  /** What the archive says that the file needs. */
  size: number;
}

/** An archive of deflated files, with sizes that need not be true. */
export function archive(files: readonly Packed[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let start = 0;
  for (const { name, packed, size } of files) {
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(packed), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(size, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(start, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), fields, place, Buffer.from(name)]));
    parts.push(local);
    start += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(start, 12);
  return Buffer.concat([...parts, entries, Buffer.from('PK\x05\x06'), end]);
}

const XML = '<?xml version="1.0" encoding="UTF-8"?>';
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** The XML of a sheet: rows of cells, or rows of one's own. */
export function sheet(rows: readonly string[], xml = ''): string {
  const numbered = rows.map(
    (cells, row) =>
      `<row r="${row + 1}">${cells
        .split('<c')
        .slice(1)
        .map((cell, column) => `<c r="${String.fromCharCode(65 + column)}${row + 1}"${cell}`)
        .join('')}</row>`,
  );
  return `${XML}<worksheet ${MAIN}><sheetData>${numbered.join('')}${xml}</sheetData></worksheet>`;
}

/** A workbook with one sheet; style 1 is a date. */
export function workbook(sheetXml: string): Buffer {
  const files = {
    'xl/workbook.xml': `${XML}<workbook ${MAIN} xmlns:r="${RELATIONS}"><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `${XML}<styleSheet ${MAIN}><cellXfs><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': sheetXml,
  };
  return archive(
    Object.entries(files).map(([name, text]) => ({
      name,
      packed: deflateRawSync(text),
      size: Buffer.byteLength(text),
    })),
  );
}
