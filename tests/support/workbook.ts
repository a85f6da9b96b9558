import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

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

/** A workbook with one sheet, A, and perhaps others; style 1 is a date, 2 five digits, 3 a CNPJ, 4 two decimals. */
export function workbook(
  sheetXml: string,
  sheetName = 'xl/worksheets/sheet1.xml',
  others: Readonly<Record<string, string>> = {},
): Buffer {
  const more = Object.entries(others).map(([title, xml], index) => ({ title, xml, number: index + 2 }));
  const sheets = more.map(
    ({ title, number }) => `<sheet name="${title}" sheetId="${number}" r:id="s${number}"/>`,
  );
  const relations = more.map(
    ({ number }) =>
      `<Relationship Id="s${number}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${number}.xml"/>`,
  );
  const formats = ['00000', '00\\.000\\.000\\/0000\\-00', '00.00'].map(
    (code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${code}"/>`,
  );
  const styles = [0, 14, 164, 165, 166].map((id) => `<xf numFmtId="${id}" applyNumberFormat="1"/>`);
  const files = {
    'xl/workbook.xml': `${XML}<workbook ${MAIN} xmlns:r="${RELATIONS}"><sheets><sheet name="A" sheetId="1" r:id="r1"/>${sheets.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${RELATIONS}/worksheet" Target="${sheetName.replace(/^xl\//, '')}"/><Relationship Id="r2" Type="${RELATIONS}/styles" Target="styles.xml"/>${relations.join('')}</Relationships>`,
    'xl/styles.xml': `${XML}<styleSheet ${MAIN}><numFmts>${formats.join('')}</numFmts><cellXfs>${styles.join('')}</cellXfs></styleSheet>`,
    [sheetName]: sheetXml,
    ...Object.fromEntries(more.map(({ xml, number }) => [`xl/worksheets/sheet${number}.xml`, xml])),
  };
  return archive(
    Object.entries(files).map(([name, text]) => ({
      name,
      packed: deflateRawSync(text),
      size: Buffer.byteLength(text),
    })),
  );
}

/** The files of an archive, by its directory; throws for one that is not as its directory says. */
export function unzip(bytes: Buffer): Map<string, string> {
  const files = new Map<string, string>();
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [crc, packed, size, nameLength] = [16, 20, 24]
      .map((offset) => bytes.readUInt32LE(at + offset))
      .concat(bytes.readUInt16LE(at + 28));
    const name = bytes.subarray(at + 46, at + 46 + (nameLength ?? 0)).toString();
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const content = inflateRawSync(bytes.subarray(start, start + (packed ?? 0)));
    if (content.length !== size || crc32(content) !== crc) throw new Error(`${name} is damaged`);
    files.set(name, content.toString());
    at += 46 + (nameLength ?? 0) + bytes.readUInt16LE(at + 30);
  }
  return files;
}
