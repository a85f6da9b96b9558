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
      [7, 'QUOTES'],
      [8, 'QUOTES'],
    ]);
    expect('rows' in result && result.rows.filter((row) => !row.problem)).toEqual([
      { line: 2, cells: ['1', 'two\r\nlines'] },
      { line: 5, cells: ['3', 'x'] },
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
    expect(readCsv(utf8(`a\n${'x"y\n'.repeat(60)}`))).toEqual({ refused: 'QUOTES', line: 52 });
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

describe('workbooks', () => {
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

  test('an empty file and one of more than 20 MB are refused', async () => {
    expect(await readTabular(new Uint8Array(), USER)).toEqual({ refused: 'EMPTY' });
    expect(await readTabular(new Uint8Array(20_000_001), USER)).toEqual({ refused: 'TOO_LARGE' });
  });
});
