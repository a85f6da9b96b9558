import { buffer } from 'node:stream/consumers';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvOf } from '#platform/tabular/csv-writer.ts';
import { readCsv } from '#platform/tabular/csv-reader.server.ts';
import { readTabular } from '#platform/tabular/read-tabular.server.ts';
import type { Tabular } from '#platform/tabular/tabular.ts';
import { writeXlsx } from '#platform/tabular/xlsx-writer.server.ts';
import { readXlsx } from '#platform/tabular/xlsx-reader.server.ts';
import { cpuTimeOf } from '../../support/cpu-time.ts';
import { archive, sheet, workbook } from '../../support/workbook.ts';

const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8');
const utf16be = (text: string): Uint8Array => Buffer.from(text, 'utf16le').swap16();
const USER = { person: 'contact_1', firm: 'firm_1' };

const table = (result: Tabular): string[][] => {
  if ('refused' in result) throw new Error(result.refused);
  return [result.columns, ...result.rows.map(({ cells }) => cells)];
};
const problems = (result: Tabular) => {
  if ('refused' in result) throw new Error(result.refused);
  return result.rows.flatMap(({ line, problem }) => (problem ? [[line, problem]] : []));
};

const TWO = [
  ['Número', 'Nome'],
  ['7', 'São João; filhos'],
];

describe('encodings and delimiters', () => {
  const text = 'Número;Nome\r\n7;"São João; filhos"\r\n';
  test.each([
    ['UTF-8', utf8(text)],
    ['UTF-8 with a byte order mark', utf8(`\uFEFF${text}`)],
    ['Latin-1', Buffer.from(text, 'latin1')],
    ['UTF-16 with a byte order mark', Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['UTF-16 in the other byte order', utf16be(`\uFEFF${text}`)],
    ['UTF-16 without a byte order mark', Buffer.from(text, 'utf16le')],
    ['tabs', utf8(text.replace('Número;', 'Número\t').replace('7;', '7\t'))],
    ['old line ends', utf8(text.replaceAll('\r\n', '\r'))],
    ['a delimiter named by a spreadsheet', utf8(`sep=;\r\n${text}`)],
  ])('a file in %s is read with its accents and its delimiter', (_, bytes) => {
    expect(table(readCsv(bytes))).toEqual(TWO);
  });

  test('a decimal comma does not make another column in a file with semicolons', () => {
    expect(table(readCsv(utf8('a;b\n1;1.234,56\n2;7,00\n')))).toEqual([
      ['a', 'b'],
      ['1', '1.234,56'],
      ['2', '7,00'],
    ]);
  });
});

describe('rows', () => {
  test('columns without a name are kept, columns with the same name stay separate, and empty columns at the end are left out', () => {
    expect(table(readCsv(utf8('Name,,Name,,\na,b,c,,\n,,,,\n')))).toEqual([
      ['Name', '', 'Name (2)'],
      ['a', 'b', 'c'],
    ]);
  });

  test('a broken quote makes its own row a problem, with its line, and the next rows are read', () => {
    const result = readCsv(
      utf8('a,b\r\n1,"two\r\nlines"\r\n2,"broken" quote"\r\n3,x\r\n\r\n4,5" pipe\r\n5,"a" b\r\n6,ok\r\n'),
    );
    expect(problems(result)).toEqual([
      [4, 'QUOTES'],
      [8, 'QUOTES'],
    ]);
    expect('rows' in result && result.rows.filter((row) => !row.problem)).toEqual([
      { line: 2, cells: ['1', 'two\r\nlines'] },
      { line: 5, cells: ['3', 'x'] },
      { line: 7, cells: ['4', '5" pipe'] },
      { line: 9, cells: ['6', 'ok'] },
    ]);
  });

  test('a quote that is never closed makes its own row a problem', () => {
    const result = readCsv(utf8('a,b\n1,x\n2,"never\n3,y\n'));
    expect(problems(result)).toEqual([[3, 'QUOTES']]);
    expect(table(result)).toEqual([
      ['a', 'b'],
      ['1', 'x'],
      ['2,"never', ''],
      ['3', 'y'],
    ]);
  });

  test('a file with many broken quotes is refused with the line of the first one too many', () => {
    expect(readCsv(utf8(`a\n${'"x"y\n'.repeat(60)}`))).toEqual({ refused: 'QUOTES', line: 52 });
  });

  test.each([
    ['inches', '24" Monitors', '1/2" to 3/4" pipe'],
    ['coordinates', `40°26'46" N`, `79°58'56" W`],
    ['a quote at the end', 'size 5"', '"'.padStart(3, 'x')],
  ])('a value that does not begin with a quote keeps those within it: %s', (_, first, second) => {
    for (const delimiter of [',', ';', '\t'])
      expect(
        table(readCsv(utf8(`a${delimiter}b\n${first}${delimiter}${second}\n"q""d"${delimiter}"l\n2"\n`))),
      ).toEqual([
        ['a', 'b'],
        [first, second],
        ['q"d', 'l\n2'],
      ]);
  });

  test('a quoted value after a space is a problem, because it may hold a delimiter', () => {
    expect(problems(readCsv(utf8('a,b\n1, "x,y"\n2,ok\n')))).toEqual([[2, 'QUOTES']]);
  });

  test('a file with inches in every row is read in a second of processor time', async () => {
    const text = `a,b\n${`${'x'.repeat(100)},24" Monitors\n`.repeat(10_000)}`;
    let rows: unknown[] = [];
    const time = await cpuTimeOf(() => {
      rows = table(readCsv(utf8(text)));
    });
    expect(time).toBeLessThan(1000);
    expect(rows).toHaveLength(10_001);
  });

  test('a row with more cells than the header is a problem, one with fewer is filled up', () => {
    const result = readCsv(utf8('a,b\n1,2,3\n1\n1,2,,\n'));
    expect(problems(result)).toEqual([[2, 'COLUMNS']]);
    expect(table(result)[2]).toEqual(['1', '']);
  });

  test('a cell of more than 10,000 characters is a problem of its row', () => {
    expect(problems(readCsv(utf8(`a\n${'x'.repeat(10_001)}\n${'x'.repeat(10_000)}\n`)))).toEqual([
      [2, 'CELL_TOO_LONG'],
    ]);
  });

  test('a formula is a text, and comes back from an export as it was', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^'{0,2}[=+@-]?[ a-z0-9"',;=\n]{1,20}z$/), (value) => {
        expect(table(readCsv(utf8(csvOf(['a', 'b'], [[value, 'x']]))))).toEqual([
          ['a', 'b'],
          [value, 'x'],
        ]);
      }),
    );
    expect(csvOf(['a'], [['=1+1']])).toContain("'=1+1");
    expect(table(readCsv(utf8('a\n=cmd|x\n')))).toEqual([['a'], ['=cmd|x']]);
  });
});

describe('limits', () => {
  test.each([
    ['a million columns', `${','.repeat(1_000_000)}x\n1\n`, { refused: 'TOO_MANY_COLUMNS', line: 1 }],
    ['more than 10,000 rows', `a\n${'1\n'.repeat(10_001)}`, { refused: 'TOO_MANY_ROWS', line: 10_002 }],
    ['only empty lines', '\n\n,,,\n', { refused: 'EMPTY' }],
    ['zero bytes', 'a,b\n1,\0\n', { refused: 'NOT_A_TABLE' }],
    ['a page', '<html lang="pt">\n<table><tr><td>1</td></tr></table>\n', { refused: 'NOT_A_TABLE' }],
    ['XML', '<?xml version="1.0"?>\n<Workbook></Workbook>\n', { refused: 'NOT_A_TABLE' }],
  ])('a file with %s is refused', (_, text, expected) => {
    expect(readCsv(utf8(text))).toEqual(expected);
  });

  test('a row with a million columns is a problem of this row', () => {
    expect(problems(readCsv(utf8(`a,b\n1,2\n${'x,'.repeat(1_000_000)}\n3,4\n`)))).toEqual([[3, 'COLUMNS']]);
  });

  test('10,000 rows are allowed', () => {
    expect(table(readCsv(utf8(`a\n${'1\n'.repeat(10_000)}`)))).toHaveLength(10_001);
  });
});

describe('where the table begins', () => {
  test.each([
    ['titles of one cell', 'Report;;\nToday;;\n;;\nNumber;Name;Kind\n1;a;b\n', 4, ['Number', 'Name', 'Kind']],
    [
      'a title of two cells above a wide table',
      'Firm;A;;;\na;b;c;d;e\n1;2;3;4;5\n',
      2,
      ['a', 'b', 'c', 'd', 'e'],
    ],
    ['a header with an unnamed column', 'Number;Name;\n1;a;x\n', 1, ['Number', 'Name']],
    ['one column', 'Email\na@x.example\n', 1, ['Email']],
    ['two columns', 'Number;Name\n1;a\n', 1, ['Number', 'Name']],
  ])('the header is found: %s', (_, csv, headingLine, columns) => {
    expect(readCsv(utf8(csv))).toMatchObject({ headingLine, columns });
  });

  test('the line of the header can be given', () => {
    const csv = utf8('a;b\nNumber;Name\n1;x\n');
    expect(readCsv(csv, { headingLine: 2 })).toMatchObject({ columns: ['Number', 'Name'], headingLine: 2 });
    expect(readCsv(csv, { headingLine: 9 })).toEqual({ refused: 'EMPTY' });
  });
});

describe('what spreadsheets write', () => {
  test('a text that was kept from becoming a number is read as that text', () => {
    expect(table(readCsv(utf8('="Code",Name\n="00123",="a, b"\n"=""007""",x\n')))).toEqual([
      ['Code', 'Name'],
      ['00123', 'a, b'],
      ['007', 'x'],
    ]);
  });

  test('bars separate where the header has them', () => {
    expect(table(readCsv(utf8('a|b\n1|x, y\n')))).toEqual([
      ['a', 'b'],
      ['1', 'x, y'],
    ]);
    expect(table(readCsv(utf8('a,b\n1|2|3|4,x\n')))[1]).toEqual(['1|2|3|4', 'x']);
  });

  test.each([
    ['Mac OS Roman', 'C\x97digo;Raz\x8bo\rC1;S\x8bo Jo\x8bo\r', ['C1', 'São João']],
    ['Windows-1252', 'C\xf3digo;Raz\xe3o\nC1;L\x92\xe9tat \x97 S\xe3o\n', ['C1', 'L’état — São']],
  ])('accents of %s are read', (_, bytes, row) => {
    expect(table(readCsv(Buffer.from(bytes, 'latin1')))).toEqual([['Código', 'Razão'], row]);
  });
});

describe('workbooks', () => {
  test('a remark to the right of the last heading is in a column without a name, and its row is read', async () => {
    const text = (value: string): string => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
    const bytes = workbook(
      sheet([
        text('Number') + text('Name'),
        text('1') + text('One') + text('') + text('ask Ana'),
        text('2') + text('Two'),
      ]),
    );
    const result = await readXlsx(bytes);
    expect(problems(result)).toEqual([]);
    expect(table(result)).toEqual([
      ['Number', 'Name', '', ''],
      ['1', 'One', '', 'ask Ana'],
      ['2', 'Two', '', ''],
    ]);
  });

  test('texts, numbers, dates, truth values and the last results of formulas are read as text', async () => {
    const bytes = workbook(
      sheet([
        '<c t="inlineStr"><is><t>Name</t></is></c><c t="inlineStr"><is><t>Number</t></is></c><c t="inlineStr"><is><t>Day</t></is></c><c t="inlineStr"><is><t>Yes</t></is></c><c t="inlineStr"><is><t>Sum</t></is></c>',
        '<c t="inlineStr"><is><t>Çelik &amp; Söhne</t></is></c><c><v>11222333000181</v></c><c s="1"><v>46349</v></c><c t="b"><v>1</v></c><c><f>HYPERLINK("http://x")</f><v>3.5</v></c>',
      ]),
    );
    expect(table(await readXlsx(bytes))).toEqual([
      ['Name', 'Number', 'Day', 'Yes', 'Sum'],
      ['Çelik & Söhne', '11222333000181', '2026-11-23', 'true', '3.5'],
    ]);
  });

  test('numbers are read as they are shown: with the zeros of their format, and with 15 digits', async () => {
    const bytes = workbook(
      sheet([
        '<c t="str"><v>a</v></c><c t="str"><v>b</v></c><c t="str"><v>c</v></c><c t="str"><v>d</v></c>',
        '<c s="2"><v>123</v></c><c s="3"><v>1222333000181</v></c><c s="4"><v>1.5</v></c><c s="2"><f>1+1</f><v>2</v></c>',
        '<c><v>0.30000000000000004</v></c><c><v>1e+21</v></c><c><v>123456789012345680</v></c><c><v>-1.1</v></c>',
        '<c t="e"><v>#N/A</v></c><c t="e"><f>1/0</f><v>#DIV/0!</v></c><c s="2" t="str"><v>7</v></c><c/>',
      ]),
    );
    expect(table(await readXlsx(bytes)).slice(1)).toEqual([
      ['00123', '01222333000181', '1.5', '00002'],
      ['0.3', '1E+21', '1.23456789012346E+17', '-1.1'],
      ['#N/A', '#DIV/0!', '7', ''],
    ]);
  });

  const text = (value: string): string => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
  const notes = sheet([text('Instructions'), text('Fill the second sheet')]);
  const clients = sheet([text('Number') + text('Name'), text('7') + text('Souza')]);
  const others = sheet([text('Title'), text('Code') + text('City'), text('8') + text('Lima')]);

  test('the first sheet with a table is read, or the one that is asked for', async () => {
    const bytes = workbook(notes, undefined, { 'Clients &amp; co': clients, Others: others });
    expect(await readXlsx(bytes)).toMatchObject({
      sheet: 'Clients & co',
      sheets: ['A', 'Clients & co', 'Others'],
      headingLine: 1,
      columns: ['Number', 'Name'],
    });
    for (const named of ['others', '3'])
      expect(await readXlsx(bytes, { sheet: named })).toMatchObject({
        sheet: 'Others',
        headingLine: 2,
        columns: ['Code', 'City'],
      });
    expect(await readXlsx(bytes, { sheet: 'A' })).toMatchObject({ columns: ['Instructions'] });
    for (const none of ['nothing', '0', '4', '1.5'])
      expect(await readXlsx(bytes, { sheet: none })).toEqual({ refused: 'NO_SUCH_SHEET' });
  });

  test('a workbook whose cells have no references is read, as ours are written', async () => {
    async function* rows() {
      yield ['Name', 'b', 'c'];
      yield ['=x & y', '', '3'];
    }
    const bytes = await buffer(writeXlsx(rows(), { sheetName: 'A', columns: 3, modifiedAt: 0 }));
    expect(table(await readXlsx(bytes))).toEqual([
      ['Name', 'b', 'c'],
      ['=x & y', '', '3'],
    ]);
  });

  test('an archive that would need more than 50 MB is refused before it is unpacked', async () => {
    const huge = deflateRawSync(Buffer.alloc(60_000_000));
    const bomb = archive([{ name: 'xl/worksheets/sheet1.xml', packed: huge, size: 60_000_000 }]);
    expect(bomb.length).toBeLessThan(200_000);
    expect(await readXlsx(bomb)).toEqual({ refused: 'TOO_LARGE' });
  });

  test('an archive that says to need less than it does is refused', async () => {
    const huge = deflateRawSync(Buffer.alloc(60_000_000));
    const bomb = archive([{ name: 'xl/worksheets/sheet1.xml', packed: huge, size: 1000 }]);
    expect(await readXlsx(bomb)).toEqual({ refused: 'NOT_A_TABLE' });
  });

  test('a damaged archive and another kind of archive are refused', async () => {
    const bytes = workbook(sheet(['<c><v>1</v></c>']));
    expect(await readXlsx(bytes.subarray(0, bytes.length - 40))).toEqual({ refused: 'NOT_A_TABLE' });
    expect(await readXlsx(archive([]))).toHaveProperty('refused');
  });

  test('a spreadsheet or document of another program is not called damaged', async () => {
    for (const name of ['content.xml', 'word/document.xml']) {
      const file = { name, packed: deflateRawSync('<x/>'), size: 4 };
      expect(await readXlsx(archive([file]))).toEqual({ refused: 'NOT_A_TABLE' });
    }
  });
});

describe('the thread', () => {
  test('a file is read in a thread, whatever its kind', async () => {
    expect(table(await readTabular(utf8('a;b\n1;2\n'), USER))).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
    const bytes = workbook(sheet(['<c t="inlineStr"><is><t>a</t></is></c>', '<c><v>1</v></c>']));
    expect(table(await readTabular(bytes, USER))).toEqual([['a'], ['1']]);
  });

  test('a sheet whose only cell is the last one there can be is refused, and the portal lives on', async () => {
    const far =
      '<row r="1"><c r="XFD1"><v>1</v></c></row><row r="1048576"><c r="A1048576"><v>1</v></c></row>';
    const result = await readTabular(workbook(sheet([], far)), USER);
    expect(result).toHaveProperty('refused');
    expect(table(await readTabular(utf8('a\n1\n'), USER))).toEqual([['a'], ['1']]);
  });

  test.each([
    ['a sheet with another name', 'xl/worksheets/sheet9.xml', '<row r="1048576"><c><v>1</v></c></row>'],
    [
      'a sheet outside of its folder',
      'xl/first.xml',
      "<row  spans='1:1' r = '1048576'><c><v>1</v></c></row>",
    ],
    [
      'a row that only its cell numbers',
      'xl/worksheets/sheet1.xml',
      '<row><c r="A1048576"><v>1</v></c></row>',
    ],
    [
      'a row before the last one',
      'xl/worksheets/sheet1.xml',
      '<row r="1048576"><c><v>1</v></c></row><row r="2"><c r="A2"><v>1</v></c></row>',
    ],
  ])('%s with a million rows before it is refused without a second of work', async (_, name, rows) => {
    const bytes = workbook(sheet([], rows), name);
    expect(bytes.length).toBeLessThan(2000);
    const before = process.cpuUsage();
    expect(await readXlsx(bytes)).toMatchObject({ refused: 'TOO_MANY_ROWS' });
    const { user } = process.cpuUsage(before);
    expect(user / 1_000_000).toBeLessThan(1);
  });

  test('a sheet of 48 MB of spaces ends its thread after five seconds of work', async () => {
    const bytes = workbook(sheet([], `<row r="1"><c r="A1"><v>${' '.repeat(48_000_000)}</v></c></row>`));
    expect(bytes.length).toBeLessThan(100_000);
    const before = process.cpuUsage();
    expect(await readTabular(bytes, USER)).toHaveProperty('refused');
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000_000).toBeLessThan(9);
  });

  test('an empty file and one of more than 20 MB are refused', async () => {
    expect(await readTabular(new Uint8Array(), USER)).toEqual({ refused: 'EMPTY' });
    expect(await readTabular(new Uint8Array(20_000_001), USER)).toEqual({ refused: 'TOO_LARGE' });
  });
});
