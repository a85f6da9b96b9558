import { describe, expect, test } from 'vitest';
import { constraints } from '#features/documents/documents/file-types.server.ts';
import { kindOf } from '#features/documents/viewer/kinds.ts';
import { isNumber, readTable } from '#features/documents/viewer/table.server.ts';
import { decodeText } from '#platform/tabular/decode-text.server.ts';
import { delimiterOf } from '#platform/tabular/delimiter.ts';
import { cpuTimeOf } from '../../support/cpu-time.ts';

const ROOMY = { rows: 1000, columns: 100_000, cells: 1e6, characters: 1e6 };
const table = (text: string, max = {}) =>
  readTable(text, { delimiter: delimiterOf(text), max: { ...ROOMY, ...max } });

test('the viewer can show exactly the types that the portal lists as viewable', () => {
  const { convertedTypes, unconvertedTypes } = constraints();
  expect(convertedTypes.filter((type) => kindOf(`a.${type}`) === undefined)).toEqual([]);
  expect(unconvertedTypes.filter((type) => kindOf(`a.${type}`) !== undefined)).toEqual([]);
});

describe('tables', () => {
  test.each([
    [
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a;b\n"1,5";"say ""hi"""\n',
      [
        ['a', 'b'],
        ['1,5', 'say "hi"'],
      ],
    ],
    [
      'a\tb\n1\t2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,"b\r\nc"\n\n,\n',
      [
        ['a', 'b\r\nc'],
        ['', ''],
      ],
    ],
    ['5" pipe,2', [['5" pipe', '2']]],
    ['a,"never closed\n1,2', [['a', 'never closed\n1,2']]],
    ['"a"b,c', [['ab', 'c']]],
    ['one column\nonly', [['one column'], ['only']]],
    ['', []],
  ])('a CSV file is parsed as it was written: %j', (text, rows) => {
    expect(table(text).rows).toEqual(rows);
  });

  test.each([
    ['rows', 'a\nb\nc', { rows: 2 }, [['a'], ['b']], ['rows']],
    ['no rows beyond its last one', 'a\nb', { rows: 2 }, [['a'], ['b']], []],
    ['columns', 'a,b,c\nd,e\nf', { columns: 2 }, [['a', 'b'], ['d', 'e'], ['f']], ['columns']],
    ['cells', 'a,b\nc,d\ne', { cells: 3 }, [['a', 'b']], ['rows']],
    ['long texts', 'abcdef,b', { characters: 3 }, [['abc…', 'b']], ['text']],
    ['halves of letters', 'ab🥐,b', { characters: 3 }, [['ab\ufffd…', 'b']], ['text']],
  ])('a table omits %s, and says so', (_, text, max, rows, leftOut) => {
    const shown = table(text, max);
    const omitted = Object.entries(shown.leftOut).flatMap(([what, isLeftOut]) => (isLeftOut ? [what] : []));
    expect([shown.rows, omitted]).toEqual([rows, leftOut]);
  });

  test.each(['1', '-1.234,50', 'R$ 12,00', '(5)', ' 42 % '])('%j is right-aligned as a number', (cell) => {
    expect(isNumber(cell)).toBe(true);
  });

  test.each(['', 'A 1', '1 a', '1'.repeat(41), ' '.repeat(900_000)])('%j is left-aligned as text', (cell) => {
    expect(isNumber(cell)).toBe(false);
  });

  test('a CSV file is parsed without delay, whatever its quotes', async () => {
    const texts = [
      '"'.repeat(500_000),
      '"a'.repeat(300_000),
      ',"'.repeat(300_000),
      `"${'a'.repeat(900_000)}`,
    ];
    expect(await cpuTimeOf(() => texts.map((text) => table(text)))).toBeLessThan(2500);
  });
});

test.each([
  ['UTF-8', Buffer.from('Folha de ação')],
  ['UTF-8 with a mark', Buffer.from('\ufeffFolha de ação')],
  ['UTF-8 that was cut in a letter', Buffer.from('Folha de açãoã').subarray(0, -1)],
  ['the western code page', Buffer.from('Folha de ação', 'latin1')],
  ['UTF-16', Buffer.from('\ufeffFolha de ação', 'utf16le')],
])('text in %s is decoded', (_, bytes) => {
  expect(decodeText(bytes)).toBe('Folha de ação');
});
